// contact/push_out.h: the usual way of games to keep cloth out of solids, to compare with.
//
// Nothing is predicted. Wherever a sweep of the solver has put a vertex, it is looked at: one that
// is in a solid is pushed out by the shortest way. What passes a whole solid between two looks is
// never seen, and the shortest way may lead out on the far side (Lewin, section 3):
//
//      a  o            b  o--x--o          c  o
//         :                  :                :
//        (:)               ( : )            ( : )
//         :                  :              ( o )
//         o                o-o-o              v
//
//      too fast         pulled through     in beyond the middle
#ifndef DR_PUSH_OUT_H
#define DR_PUSH_OUT_H

#include "contact/contact.h"

// Candidates of the slots [begin, end) out of an obstacle at its end pose, so far that they keep
// `radius`. Returns how many were in it.
int dr_push_out(const dr_sheet* sheet, int begin, int end, const dr_obstacle* obstacle,
                float radius, dr_friction friction);

#endif

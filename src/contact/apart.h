// contact/apart.h: cloth that never passes through cloth, nor through solids.
//
// A *pair* is a point and a triangle, or two edges, without a common vertex, at least one of them
// of a cloth. Cloth can pass through cloth or through the triangles of a solid only where some pair
// meets. Every substep goes from places x, where no pair meets, to
// places y, and each vertex goes straight. So does this module go about it:
//
//     watch     which pairs can come near at all      (apart_pairs.c, seldom)
//     touch     contacts of those that come near      (apart_contact.c, pulled at by the solver)
//     slide     pairs that lose their gap are pushed apart along their normals
//     cut       what is still in the way is stopped short:  y := x + t (y - x)   (apart_guard.c)
//
// A pair is *certified* when one of three things is known of it:
//
// - Far. While every vertex stays in its ball, the pair cannot come near, so it is not listed:
//
//       x ( . ----- . )          a ball around where the vertex is now and where its velocity takes
//         start   end            it in some substeps, with some room; all in a frame that falls
//                                along with the cloth
//
//   When a vertex leaves its ball, balls and list are made anew.
// - Slow. No point of one feature moves against any point of the other by more than the largest
//   difference between moves of their vertices. If the distance is more than that, nothing happens.
//   Each listed pair carries a lower bound of its distance from substep to substep, so most of them
//   cost a subtraction.
// - Apart. There is a unit vector n along which the features have a gap at x and also at y. The gap
//   is the least of linear functions of time minus the largest of others, so it is concave, so it
//   is positive all the way. Or there are several, one after the other (apart_certify.c).
//
// The last is a statement about doubles n and floats x, y, evaluated with its rounding taken off
// (collide/separation.h), after y was rounded to what will be stored. How y came about does not
// matter. y = x satisfies it, so cutting ends: a pair that failed three times has t = 0 for all of
// its vertices. Only pins and solids do not yield; cloth that they are driven through is *pinched*,
// let go, and looked for among what crosses.
//
// Vertices of solids are numbered behind those of cloths, and so are edges and triangles. They have
// no inverse mass and go where they are led, straight in a substep like all others. Between cloths
// and solids there are no contacts here: the solver has its own (contact/contact.h), which come
// from the true shapes.
//
// Margins. Pairs at distance d at the start shall end with a gap of a tenth of d, but at least the
// *floor*; pairs that are nearer than the floor may not come nearer.
//
// Everything is the same for any number of threads, and for any age of the list: what is carried
// along decides only which pairs are looked at. To that end whatever is done to a pair follows from
// bounds that were measured at x, and is done only to pairs that come so near on their way that any
// list has them.
#ifndef DR_APART_H
#define DR_APART_H

#include "collide/closest.h"
#include "collide/feature_pairs.h"
#include "collide/separation.h"
#include "contact/apart_untangle.h"
#include "contact/contact.h"
#include "contact/sheets.h"

typedef enum dr_apart_kind {
    DR_APART_POINT, // vertices p a b c
    DR_APART_EDGES, // vertices a b c d
} dr_apart_kind;

// Lists of pairs: those of cloths by kind, then those of a cloth and a solid.
enum { DR_APART_SOLID = 2, DR_APART_LISTS = 4 };

// Of a vertex: it is in a solid at x; a pair of it with a solid was not guarded on the way to x; it
// hangs in a solid from a pin; it is outside, and a solid goes through a triangle of it.
typedef enum dr_apart_inside {
    DR_APART_INSIDE = 1,
    DR_APART_SUSPECT = 2,
    DR_APART_HUNG = 4,
    DR_APART_TOUCHED = 8,
} dr_apart_inside;

static inline dr_apart_kind dr_apart_kind_of(int list)
{
    return (dr_apart_kind)(list & 1);
}

// Contacts are made for pairs that are further apart than they shall be by this factor: what rests
// at its distance is pulled at by the solver all the same, and must not fall in between. In a fold
// that is jammed sweeps pull by half a thickness.
#define DR_APART_AHEAD 1.5f

// Listed pairs of one kind, in the order of their features.
typedef struct dr_apart_list {
    int count;
    dr_array vertex; // int32_t[4]
    dr_array lower;  // float: the distance at x is no less
    dr_array after;  // float: scratch, the same at y

    dr_array record; // int32_t: number of its record in this substep, or -1
} dr_apart_list;

// A pair of the search that may come near.
typedef struct dr_apart_near {
    int32_t a, b;
    float lower;
} dr_apart_near;

// A pair that comes near in this substep.
typedef struct dr_apart_contact {
    int32_t vertex[4];
    float weight[4]; // of the closest points, negative on the second side
    float normal[3]; // from the second side to the first
    float away[3];   // the way between the closest points at x
    float gap;       // along the normal at x
    float target;    // that it shall have
    float inverse;   // of what resists a push
    dr_friction friction;
    float pressed, rubbed;
} dr_apart_contact;

// A pair that is neither far nor slow: it needs a normal.
typedef struct dr_apart_record {
    int32_t vertex[4];
    int32_t list, pair;
    int32_t failures;     // so often cut already
    int64_t certified_at; // 0: it is not
    bool is_exempt;       // touches at x: nothing can be promised
    double normal[3];
    double push[3];   // the last normal that had a gap: the way to give way
    double middle[3]; // between the two sides, where heights along the normal are taken from
    double gap;       // at x
    double wanted;    // at y, when it is moved; `needed` when it is not
    double needed;
} dr_apart_record;

// Pins that hang together, or a solid: the rigid motion that is next to theirs.
typedef struct dr_apart_lead {
    int count;
    double middle[3], way[3];
    double turn[3]; // axis times the sine of the angle
} dr_apart_lead;

// What is beyond this many is taken for things that do not turn.
enum { DR_APART_LEADS = 64 };

// What is fixed for one part, that is for one cloth.
typedef struct dr_apart_cloth {
    float thickness; // that contacts keep, m
    dr_friction friction;
    int layer; // cloths of higher layers lie outside, where normals point; -1: unknown
} dr_apart_cloth;

// What sliding and cutting took from a cloth in this substep. Solids have one, too: they hold.
typedef struct dr_apart_loss {
    double momentum[3]; // times the substep, kg m
    float back[3];      // that it has back, as a way in the substep, m
    float lo[3], hi[3]; // box around x and y
    int32_t group;      // of what is near each other: the first of it, by and by
    double mass;
    bool is_held; // by a pin
} dr_apart_loss;

typedef struct dr_apart {
    const dr_sheets* sheets; // cloths
    const dr_sheets* solids; // null: none
    drape_isa isa;
    // Of all, cloths first.
    int vertex_count, edge_count, triangle_count;
    int32_t (*edges)[2];
    int32_t (*triangles)[3];
    int32_t* part_of_vertex; // of cloths; of solids from `solids`
    dr_apart_cloth* cloths;  // by part; the caller may change them between steps
    dr_apart_loss* losses;   // by part, then by part of the solids
    uint8_t* is_open;        // by part of the solids: it has no inside; the same
    dr_tree tree;
    dr_features features;
    dr_pair_search search;
    dr_tree solid_tree;
    dr_features solid_features;
    dr_array solid_pairs; // dr_pair: scratch
    int32_t* near_solids; // of a query: triangles
    float *x, *y, *way;   // four floats per vertex: start, candidate (w: inverse mass), y - x
    float* rest;          // the same, for distances at rest
    float* share;         // t of each vertex
    uint8_t* is_pushed;   // something that does not yield has put the vertex where it is: it is the
                          // last to yield; set by the caller after sliding
    float* before;        // four floats per vertex: y before it was slid or cut
    float* drift;         // four floats per vertex: where the velocity that it had before the
                          // prediction takes it; of cloths, set by the caller for contacts
    float* carried;    // four floats per vertex: the way of what carries it along; fourth: 1 when
                       // something does, 2 when y has it
    int64_t clock;     // counts certificates; of pairs none of whose vertices were moved they last
    int64_t* moved_at; // by vertex
    int32_t* lead;     // group of what is led, in `leads`; -1: none
    dr_apart_lead* leads;
    int lead_count;
    bool has_leads;    // in this cut
    float* jolt;       // how far the solver took each vertex from its prediction of late, m
    float edge_length; // mean of the rest shape
    float recovery;    // that contacts may add to a gap in a substep, m; set by the caller
    float h;           // s; the same

    // Balls, made with the list.
    float* ball;  // four floats per vertex: middle seen from the start, radius
    float* place; // middle, in the frame
    float *box_lo, *box_hi;
    float frame[3]; // what the frame moves in a substep
    int age;        // substeps since
    int horizon;    // substeps that the list is made for
    bool has_list;
    bool is_crowded;    // it has more pairs than the guard goes through
    bool is_for_guard;  // the list has no pairs for contacts: it goes with the substep
    float rounding;     // of coordinates: more than any error of a place
    float way_rounding; // of ways
    float floor;        // see above
    float doubt;     // lower bounds of one distance, carried along or measured, differ by less, m
    float guarded;   // no gap is asked for that is larger, m
    bool is_sound;   // all y are numbers of a sensible size
    bool is_watched; // `after` and the records belong to `before`

    dr_apart_list lists[DR_APART_LISTS];
    dr_array kept, sorted; // dr_apart_near: scratch of the search
    dr_array bucket;
    dr_array flagged; // int32_t: pairs that a pass asks for
    dr_array flag_counts;
    dr_array quads;    // int32_t[4] of flagged pairs
    dr_array closest;  // dr_closest of them
    dr_array distance; // float: lower bounds of them, or of candidates
    dr_array at_rest;  // float: of their distances at rest; of candidates, less what balls allow
    dr_array wanted;   // int32_t: those of them that become contacts
    dr_array contacts; // dr_apart_contact
    dr_array records;  // dr_apart_record
    dr_array failed;   // dr_apart_record, sorted: those of earlier lists that failed in this cut

    // Triangles that cross at x; pairs of their features are not guarded (apart_crossed.c).
    dr_array crossed;      // dr_pair, sorted
    dr_array crossing;     // scratch
    bool is_known;         // `crossed` is up to date but for the last substep
    int32_t* around;       // triangles around each vertex,
    uint8_t* is_crossed;   // by triangle: it is in `crossed`
    int32_t* around_start; // from around_start[v] to around_start[v + 1]
    dr_untangle untangle;  // what brings them apart

    // Vertices of cloths that are in a solid: they may leave it. Set by the caller at x.
    dr_array inside;    // dr_pair: number of the solid, vertex; sorted
    uint8_t* is_inside; // by vertex: bits of dr_apart_inside
    bool is_new;        // something was put elsewhere: all have to be looked at

    // Counts since the caller last set them to zero.
    int64_t box_tests, exact_tests;
    int search_count;
    int cut_count;     // vertices, in all substeps
    int pinched_count; // pairs that pins or solids went through
    int jammed_count;  // those of them that have something that could have given way
    int exempt_count;  // pairs that touched, and those beside a crossing that nearly do
    double lost;       // kinetic energy times the square of the substep, kg m^2
} dr_apart;

// `sheets` and `solids` (null: none) stay the caller's and must live as long. False when memory is
// short; free it then all the same.
bool dr_apart_create(dr_apart* apart, dr_memory* memory, const dr_sheets* sheets,
                     const dr_sheets* solids, drape_isa isa);
void dr_apart_free(dr_apart* apart, dr_memory* memory);
// Vertices were put elsewhere.
void dr_apart_forget(dr_apart* apart);

// --- A substep. x and y are set by the caller before each call. All false when memory is short.

// Which triangles cross at x: first of all.
bool dr_apart_find_crossed(dr_apart* apart, dr_memory* memory, dr_pool* pool);
// Contacts, from the start x and the prediction y.
bool dr_apart_touch(dr_apart* apart, dr_memory* memory, dr_pool* pool);
// One sweep over the contacts, on y.
void dr_apart_resolve(dr_apart* apart);
// Pushes y apart along normals where gaps would be lost. Promises nothing. May be called again in a
// substep.
bool dr_apart_slide(dr_apart* apart, dr_memory* memory, dr_pool* pool, bool is_first);
// Cuts y until every pair is certified.
bool dr_apart_cut(dr_apart* apart, dr_memory* memory, dr_pool* pool);
// After the sweeps, on y: what is pressed, and goes less than about `slow` beside the way that all of
// its cloth that is pressed has in common, goes half of it. In a jammed fold chains of the cloth and
// contacts are at odds, and a substep corrects more than the last one left: vertices would go to and
// fro for ever. Momentum is kept, and sheets that slide as a whole do not notice.
void dr_apart_settle(dr_apart* apart, float slow);
// Which ways, from x to y, are velocities: `way`; as they were: `before`. Contacts push cloths
// apart, they do not throw them; and what is pressed and moves less than about `slow` comes to rest.
void dr_apart_calm(dr_apart* apart, float slow);
// `back` of cloths that touch nothing but cloth: what they lost, which then is no loss any more.
void dr_apart_return_momentum(dr_apart* apart);
// Pairs that touch at x, coincident triangles for instance; before the next call.
int dr_apart_count_touching(const dr_apart* apart);
// y is the start of the next substep.
void dr_apart_commit(dr_apart* apart);
// The substep did not take place.
void dr_apart_undo(dr_apart* apart);

// --- For the files of this module ---

// Library calls cost more than what they compute.
static inline float dr_apart_larger(float a, float b)
{
    return a > b ? a : b;
}

static inline const int32_t* dr_apart_around(const dr_apart* apart, int vertex, int* count)
{
    *count = apart->around_start[vertex + 1] - apart->around_start[vertex];
    return apart->around + apart->around_start[vertex];
}

// What a list is asked for.
typedef enum dr_apart_purpose {
    DR_APART_FOR_CONTACTS, // at the prediction: the solver will move it
    DR_APART_FOR_GUARD,    // what the solver made of it
    DR_APART_FOR_CUT,      // which may stop any of it short
} dr_apart_purpose;

// Makes the list anew when some y is outside of its ball.
bool dr_apart_refresh(dr_apart* apart, dr_memory* memory, dr_pool* pool, dr_apart_purpose purpose);
// Lists pairs of a list whose distance at y may be below `limit` into `flagged`; sets `after` of
// all. Returns how many, or -1 when memory is short.
int dr_apart_watch(dr_apart* apart, dr_memory* memory, dr_pool* pool, int list, float limit);
// Closest points at x of the flagged pairs into `closest`, and fresh lower bounds; on demand also
// of the distances at rest.
bool dr_apart_measure(dr_apart* apart, dr_memory* memory, dr_pool* pool, int list, int count,
                      bool at_rest_too);
// Triangles of solids at x whose boxes meet a box, into `near_solids`; returns how many. The tree has
// to be refit before.
void dr_apart_refit_solids(dr_apart* apart, dr_pool* pool);
int dr_apart_list_solids(const dr_apart* apart, drape_vec3 lo, drape_vec3 hi);
// Whether a triangle is of a solid that has an inside.
bool dr_apart_is_closed(const dr_apart* apart, int triangle);
// Whether a vertex of a cloth is in a solid.
bool dr_apart_is_in(const dr_apart* apart, int vertex, int solid);
// Whether, of the triangles that have all of some vertices of a cloth, one crosses a solid that has an
// inside.
bool dr_apart_is_part_in(const dr_apart* apart, const int32_t* vertex, int count, int solid);
// Orders pairs by their first, then by their second numbers.
int dr_apart_compare_pairs(const void* left, const void* right);
// The pairs in `crossed` of a triangle of a cloth with those of a solid; null when there are none.
const dr_pair* dr_apart_crossed_in(const dr_apart* apart, int triangle, int solid, int* count);
// Whether the features of a pair belong to triangles that cross, or leave a solid.
bool dr_apart_is_exempt(const dr_apart* apart, dr_apart_kind kind, const int32_t vertex[4]);
// The largest distance at which contacts are made.
float dr_apart_reach(const dr_apart* apart);

// Pins, solids, and what they carry along.
bool dr_apart_is_led(const dr_apart* apart, int vertex);
// Finds groups of what is led, and how they move from x to y.
void dr_apart_find_leads(dr_apart* apart);
// Lets those of a pair that could yield go along with those that are led; false when there are not
// both. Nothing changes between things that move alike, but the last bits of their places.
bool dr_apart_carry(dr_apart* apart, dr_apart_record* record);
// Whether the pair stays apart from x to y and ends with the gap it needs; sets `push`.
bool dr_apart_certify(const dr_apart* apart, dr_apart_record* record);
// Pushes those of a pair that are free so far that it is apart at y, where others of the same feature
// are led (apart_lever.c).
void dr_apart_lever(dr_apart* apart, const dr_apart_record* record);
// `after` of one pair from its `lower`, with the bits that watching gives it.
float dr_apart_left(const dr_apart* apart, int list, int pair);
void dr_apart_drop_records(dr_apart* apart);
// The same, for a new list in a cut: what failed is remembered. False when memory is short.
bool dr_apart_keep_failed(dr_apart* apart, dr_memory* memory);
// y - x of all vertices; `is_sound` says whether all are numbers.
void dr_apart_set_ways(dr_apart* apart);
// Room for `count` elements and eight more, which vectors may read and write.
bool dr_apart_reserve(dr_memory* memory, dr_array* array, size_t size, int count);

typedef struct dr_apart_kernels {
    // Lower bounds of the distances of `count` pairs at x, and less what balls allow.
    void (*sift[2])(const float* x, const float* ball, const int32_t (*vertex)[4], int count,
                    float rounding, float* lower, float* allowed);

    // As `lower`, from x alone; weights into `closest`.
    void (*measure[2])(const float* x, const int32_t (*vertex)[4], int count, dr_closest* closest,
                       float* out);
    // after = lower - largest difference of ways; numbers of pairs with after below the limit into
    // `flagged`, from `first` on. Returns how many.
    int (*watch[2])(const float* way, const int32_t (*vertex)[4], const float* lower, float limit,
                    float rounding, int first, int count, float* after, int32_t* flagged);

} dr_apart_kernels;

const dr_apart_kernels* dr_apart_kernels_for(drape_isa isa);

#endif

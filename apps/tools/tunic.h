// tunic.h: how many vertices the tunic of the walking figure has, around and along. Its mesh comes
// from make_garments, what is said of its vertices from make_character.
#ifndef TUNIC_H
#define TUNIC_H

enum { TUNIC_COLUMNS = 32, TUNIC_ROWS = 13 };

#endif

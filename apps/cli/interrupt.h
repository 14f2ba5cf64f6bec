// interrupt.h: Ctrl-C, for commands that end early and keep what they have.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

// From here on SIGINT and SIGTERM are noted in place of ending the program; only the first is, a
// second one ends it at once. Signals that whoever started us wants ignored stay so.
void cli_interrupt_watch(void);
// Whether one came.
bool cli_interrupt_came(void);

#endif

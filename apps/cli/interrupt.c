#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

// A signal handler can reach nothing but a variable like this.
static volatile sig_atomic_t came;

static void on_signal(int number)
{
    (void)number;
    came = 1;
}

// The handler is gone after its first use.
static void watch(int number)
{
    struct sigaction before;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaction(number, &action, NULL);
    }
}

void cli_interrupt_watch(void)
{
    watch(SIGINT);
    watch(SIGTERM);
}

bool cli_interrupt_came(void)
{
    return came != 0;
}

#define _GNU_SOURCE
#include "imgc_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static int ends[2] = {-1, -1};

// Only what a handler may call: a full pipe drops the signal, as the kernel does with one that
// waits already.
static void tell(int number) {
    int kept = errno;
    unsigned char byte = (unsigned char)number;
    ssize_t written = write(ends[1], &byte, 1);
    (void)written;
    errno = kept;
}

int imgc_signals_open(void) {
    if (ends[0] >= 0) return ends[0];
    int made[2];
    if (pipe(made) != 0) return -1;
    fcntl(made[0], F_SETFD, FD_CLOEXEC);
    fcntl(made[1], F_SETFD, FD_CLOEXEC);
    fcntl(made[1], F_SETFL, O_NONBLOCK);
    ends[1] = made[1];
    ends[0] = made[0];
    return ends[0];
}

int imgc_signals_hear(int number) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = tell;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, NULL);
}

static void end(int number) { _exit(128 + number); }

int imgc_signals_end(int number) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0) return -1;
    if (action.sa_handler == SIG_IGN) return 0;
    memset(&action, 0, sizeof action);
    action.sa_handler = end;
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, NULL);
}

/* Takes a part of the CPU that it runs on, in slices of 50 us. bench/peers uses it because the server
 * costs as much for each request as the fastest client and would otherwise stop it first.
 *
 *   burn PERCENT
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

enum { SLICE_NANOS = 50000 };

static long long nanos(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int count, char **arguments) {
    int percent = count == 2 ? atoi(arguments[1]) : 0;
    if (percent < 1 || percent > 99) return 2;
    struct timespec rest = {.tv_nsec = SLICE_NANOS / percent * (100 - percent)};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_TIMERSLACK, 1L);
    for (;;) {
        long long end = nanos() + SLICE_NANOS;
        while (nanos() < end) { }
        nanosleep(&rest, NULL);
    }
}

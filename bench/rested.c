/* Prints the CPU time of two system calls in a row after a pause: the first one finds the caches and the
 * address translation of the CPU as cold as the pause has left them. bench/sampling shows with it how much
 * dearer a host makes what happens rarely.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { TIMES = 10 };

static double micros(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

int main(void) {
    static char text[1 << 16];
    const long pauses[] = {5, 100, 400};
    int file = open("/proc/stat", O_RDONLY);
    if (file < 0) return 1;
    for (int i = 0; i < 3; i++) {
        double first = 0, second = 0;
        for (int n = 0; n < TIMES; n++) {
            struct timespec pause = {.tv_nsec = pauses[i] * 1000000};
            nanosleep(&pause, NULL);
            double begin = micros();
            if (pread(file, text, sizeof text, 0) <= 0) return 1;
            double middle = micros();
            if (pread(file, text, sizeof text, 0) <= 0) return 1;
            first += middle - begin;
            second += micros() - middle;
        }
        printf("after %ld ms the first read of /proc/stat takes %.1f us of CPU, the second %.1f us\n", pauses[i],
            first / TIMES, second / TIMES);
    }
    return 0;
}

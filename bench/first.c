/* Measures for bench/start how long a program takes from its start to its first answer.
 *
 *   first SERVER_CPU CLIENT_CPUS PORT COMMAND ARGUMENT...
 *
 * Listens on that port of the loopback, starts the command pinned to its CPUs (as in 1 or 0-1), and answers
 * every GET with 13 bytes. When the command has ended, it prints "answered cpu ended status": the nanoseconds
 * from just before the fork to the first answer, the CPU time that the process itself had used by then (without
 * the shell's children, which have ended), the nanoseconds to the command's end, and its exit status. A
 * connection without a request does not count. The command's output goes to this program's standard error.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "listening.h"

enum { EVENTS = 64, REQUEST_BYTES = 4096, BACKLOG = 128 };

static const char ANSWER[] = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, world!";

static long long nanos(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void pin(const char *cpus) {
    cpu_set_t set;
    int first, last, count = sscanf(cpus, "%d-%d", &first, &last);
    CPU_ZERO(&set);
    for (int cpu = first; cpu <= (count == 2 ? last : first); cpu++) CPU_SET(cpu, &set);
    if (count < 1 || sched_setaffinity(0, sizeof set, &set) < 0) fail("sched_setaffinity");
}

/* Returns whether a request was answered. */
static int answer(int fd) {
    char request[REQUEST_BYTES];
    ssize_t length = recv(fd, request, sizeof request, 0);
    if (length < 0 && errno == EAGAIN) return 0;
    if (length <= 0) {
        close(fd);
        return 0;
    }
    if (length < 4 || memcmp(request, "GET ", 4)) return 0;
    return send(fd, ANSWER, sizeof ANSWER - 1, MSG_NOSIGNAL) > 0;
}

int main(int count, char **arguments) {
    struct epoll_event events[EVENTS];
    if (count < 5) {
        fprintf(stderr, "usage: first SERVER_CPU CLIENT_CPUS PORT COMMAND ARGUMENT...\n");
        return 2;
    }
    int listener = listen_on(atoi(arguments[3]), SOCK_CLOEXEC, -1, BACKLOG), poll = epoll_create1(EPOLL_CLOEXEC), status;
    long long answered = 0, cpu = 0, began = nanos(CLOCK_MONOTONIC);
    clockid_t child_cpu;
    pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pin(arguments[2]);
        dup2(2, 1);
        execvp(arguments[4], arguments + 4);
        fail(arguments[4]);
    }
    pin(arguments[1]);
    int ended = syscall(SYS_pidfd_open, child, 0);
    if (ended < 0) fail("pidfd_open");
    if ((errno = clock_getcpuclockid(child, &child_cpu))) fail("clock_getcpuclockid");
    watch(poll, listener);
    watch(poll, ended);
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS, -1);
        for (int i = 0; i < ready; i++) {
            int fd = events[i].data.fd;
            if (fd == ended) {
                long long end = nanos(CLOCK_MONOTONIC);
                waitpid(child, &status, 0);
                printf("%lld %lld %lld %d\n", answered ? answered - began : -1, cpu, end - began,
                    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
                return 0;
            }
            if (fd == listener) {
                while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) watch(poll, fd);
            } else if (answer(fd) && !answered) {
                answered = nanos(CLOCK_MONOTONIC);
                cpu = nanos(child_cpu);
            }
        }
    }
}

/* A cheap HTTP server for bench/peers: one thread, epoll, a fixed answer. It keeps or closes the connection
 * as the request asks.
 *
 *   server PORT [CPU]
 *
 * With CPU it shares the port with servers on other CPUs and takes the connections from its own.
 *
 * GET /count answers "requests nanos cpuNanos" about the time since the last such question: the number of
 * requests, the time from the first to the last of them, and the server's own CPU. It expects one request a
 * read, as all the clients here send them.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "listening.h"

enum { EVENTS = 512, REQUEST_BYTES = 4096, BACKLOG = 4096 };

static const char KEPT[] = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\nConnection: keep-alive\r\n\r\nHello, world!";
static const char CLOSED[] = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\nConnection: close\r\n\r\nHello, world!";

static long long requests, first_nanos, last_nanos, cpu_nanos;

static long long nanos(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void accept_all(int poll, int listener) {
    int fd;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) watch(poll, fd);
    if (errno != EAGAIN && errno != ECONNABORTED) fail("accept4");
}

static void send_counts(int fd) {
    char body[128], answer[256];
    int length = snprintf(body, sizeof body, "%lld %lld %lld\n", requests,
        last_nanos - first_nanos, nanos(CLOCK_PROCESS_CPUTIME_ID) - cpu_nanos);
    length = snprintf(answer, sizeof answer,
        "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", length, body);
    send(fd, answer, length, MSG_NOSIGNAL);
    close(fd);
    requests = 0;
}

/* HTTP/1.0 closes unless asked to keep, HTTP/1.1 keeps unless asked to close. */
static int closes(const char *request) {
    const char *field = strcasestr(request, "\nconnection:");
    if (field) return !strncasecmp(field + 12 + strspn(field + 12, " "), "close", 5);
    return strstr(request, " HTTP/1.0\r\n") != NULL;
}

static void answer(int fd, long long now) {
    char request[REQUEST_BYTES];
    ssize_t length = recv(fd, request, sizeof request - 1, 0);
    if (length < 0 && errno == EAGAIN) return;
    if (length <= 0) {
        close(fd);
        return;
    }
    request[length] = 0;
    if (!strncmp(request, "GET /count ", 11)) {
        send_counts(fd);
        return;
    }
    if (requests++ == 0) {
        first_nanos = now;
        cpu_nanos = nanos(CLOCK_PROCESS_CPUTIME_ID);
    }
    last_nanos = now;
    if (closes(request)) {
        send(fd, CLOSED, sizeof CLOSED - 1, MSG_NOSIGNAL);
        close(fd);
    } else {
        send(fd, KEPT, sizeof KEPT - 1, MSG_NOSIGNAL);
    }
}

int main(int count, char **arguments) {
    static struct epoll_event events[EVENTS];
    if (count != 2 && count != 3) {
        fprintf(stderr, "usage: server PORT [CPU]\n");
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int listener = listen_on(atoi(arguments[1]), 0, count == 3 ? atoi(arguments[2]) : -1, BACKLOG), poll = epoll_create1(0);
    watch(poll, listener);
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS, -1);
        long long now = nanos(CLOCK_MONOTONIC);
        for (int i = 0; i < ready; i++) {
            if (events[i].data.fd == listener) accept_all(poll, listener);
            else answer(events[i].data.fd, now);
        }
    }
}

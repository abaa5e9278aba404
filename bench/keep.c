/* The floor for bench/hold: a client of held connections that measures nothing. It uses epoll as the engine
 * does (one thread, edge-triggered, a read and a send for each message), with the same pairs of source address
 * and port. It has no check, no timer for a connection, no clock for a message and no histogram.
 *
 *   keep PORT CONNECTIONS INTERVAL_MILLIS BYTES SECONDS
 *
 * Each connection in turn sends a message when its part of the interval has come, unless its previous message
 * has no answer yet. Prints "messages seconds cpuSeconds" of the time after all were opened.
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
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 512, BUFFER_BYTES = 64 * 1024, CONNECTIONS_MAX = 20000, FIRST_PORT = 32768, TICK = 1 << 17, OPENING_MAX = 128 };

static int fds[CONNECTIONS_MAX], waiting[CONNECTIONS_MAX], got[CONNECTIONS_MAX];
static int poll, bytes, on_their_way, pair;
static char message[BUFFER_BYTES], buffer[BUFFER_BYTES];
static long long messages;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static long long nanos(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void say(int slot) {
    memcpy(message, &slot, bytes < (int)sizeof slot ? bytes : (int)sizeof slot);
    if (send(fds[slot], message, bytes, MSG_NOSIGNAL) != bytes) fail("send");
    waiting[slot] = 1;
}

static void open_one(int slot, int port) {
    int on = 1;
    struct sockaddr_in from = {.sin_family = AF_INET};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(port)};
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.fd = slot};
    fds[slot] = socket(AF_INET, SOCK_STREAM, 0);
    if (fds[slot] < 0) fail("socket");
    setsockopt(fds[slot], SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    do { /* skips a port that a listener uses */
        from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + pair % 2);
        from.sin_port = htons(FIRST_PORT + pair++ / 2);
    } while (bind(fds[slot], (struct sockaddr *)&from, sizeof from) < 0 && errno == EADDRINUSE && pair < 2 * CONNECTIONS_MAX);
    if (connect(fds[slot], (struct sockaddr *)&to, sizeof to) < 0) fail("connect");
    setsockopt(fds[slot], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (epoll_ctl(poll, EPOLL_CTL_ADD, fds[slot], &event) < 0) fail("epoll_ctl");
    say(slot);
    on_their_way++;
}

static void hear(int slot) {
    int length = recv(fds[slot], buffer, sizeof buffer, MSG_DONTWAIT);
    if (length < 0 && errno == EAGAIN) return;
    if (length <= 0) fail("recv");
    got[slot] += length;
    if (got[slot] < bytes) return;
    got[slot] = 0;
    waiting[slot] = 0;
    on_their_way--;
    messages++;
}

static void look(long long wait) {
    struct epoll_event events[EVENTS];
    struct timespec longest = {.tv_nsec = wait};
    int count = epoll_pwait2(poll, events, EVENTS, &longest, NULL);
    for (int i = 0; i < count; i++) hear(events[i].data.fd);
}

int main(int count, char **arguments) {
    if (count != 6) {
        fprintf(stderr, "usage: keep PORT CONNECTIONS INTERVAL_MILLIS BYTES SECONDS\n");
        return 2;
    }
    int port = atoi(arguments[1]), connections = atoi(arguments[2]);
    double gap = atof(arguments[3]) * 1e6 / connections;
    bytes = atoi(arguments[4]);
    if (connections < 1 || connections > CONNECTIONS_MAX || bytes < 1 || bytes > BUFFER_BYTES) return 2;
    poll = epoll_create1(0);
    for (int i = 0; i < connections; i++) {
        open_one(i, port);
        while (on_their_way >= OPENING_MAX) look(TICK);
    }
    while (on_their_way > 0) look(TICK);
    messages = 0;
    long long start = nanos(CLOCK_MONOTONIC), cpu = nanos(CLOCK_PROCESS_CPUTIME_ID), sent = 0, now = start;
    long long end = start + (long long)(atof(arguments[5]) * 1e9);
    for (; now < end; now = nanos(CLOCK_MONOTONIC)) {
        for (; sent * gap < now - start; sent++) {
            if (!waiting[sent % connections]) say(sent % connections);
        }
        look(TICK);
    }
    printf("%lld %.3f %.3f\n", messages, (now - start) / 1e9, (nanos(CLOCK_PROCESS_CPUTIME_ID) - cpu) / 1e9);
    return 0;
}

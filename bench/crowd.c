/* A server for more connections than one process may hold: several processes behind one listener.
 *
 *   crowd WORKERS [PORT]
 *
 * Prints its port, answers each request with 13 bytes and keeps the connection. GET /count answers
 * "connections requests" of all workers since the start. A worker without a free descriptor leaves
 * the listener to the others. The server ends when its standard input does.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "listening.h"

enum { EVENTS = 512, REQUEST_BYTES = 4096, BACKLOG = 65535, WORKERS_MAX = 64 };

static const char KEPT[] = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, world!";

/* Each worker writes its own counts, on a cache line of its own. */
struct counts {
    _Alignas(64) volatile long connections, requests;
};
static struct counts *all;
static int workers;

static void accept_all(int poll, int listener, struct counts *own) {
    int fd;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
        if (epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event) < 0) fail("epoll_ctl");
        own->connections++;
    }
    if (errno == EMFILE) epoll_ctl(poll, EPOLL_CTL_DEL, listener, NULL);
    else if (errno != EAGAIN && errno != ECONNABORTED) fail("accept4");
}

static void send_counts(int fd) {
    char body[64], answer[256];
    long connections = 0, requests = 0;
    for (int i = 0; i < workers; i++) {
        connections += all[i].connections;
        requests += all[i].requests;
    }
    int length = snprintf(body, sizeof body, "%ld %ld\n", connections, requests);
    length = snprintf(answer, sizeof answer, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", length, body);
    send(fd, answer, length, MSG_NOSIGNAL);
}

static void answer(int fd, struct counts *own) {
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
    own->requests++;
    send(fd, KEPT, sizeof KEPT - 1, MSG_NOSIGNAL);
}

static void work(int listener, struct counts *own) {
    static struct epoll_event events[EVENTS];
    struct epoll_event event = {.events = EPOLLIN | EPOLLEXCLUSIVE, .data.fd = listener};
    int poll = epoll_create1(0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event) < 0) fail("epoll_ctl");
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS, -1);
        for (int i = 0; i < ready; i++) {
            if (events[i].data.fd == listener) accept_all(poll, listener, own);
            else answer(events[i].data.fd, own);
        }
    }
}

static void print_port(int listener) {
    struct sockaddr_in at;
    socklen_t length = sizeof at;
    if (getsockname(listener, (struct sockaddr *)&at, &length) < 0) fail("getsockname");
    printf("%d\n", ntohs(at.sin_port));
    fflush(stdout);
}

int main(int count, char **arguments) {
    char byte;
    workers = count > 1 ? atoi(arguments[1]) : 0;
    if (count > 3 || workers < 1 || workers > WORKERS_MAX) {
        fprintf(stderr, "usage: crowd WORKERS [PORT]\n");
        return 2;
    }
    all = mmap(NULL, workers * sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) fail("mmap");
    int listener = listen_on(count > 2 ? atoi(arguments[2]) : 0, 0, -1, BACKLOG);
    print_port(listener);
    for (int i = 0; i < workers; i++) {
        if (fork() == 0) work(listener, &all[i]);
    }
    while (read(0, &byte, 1) > 0) continue;
    return 0; /* the kernel kills the workers with this process */
}

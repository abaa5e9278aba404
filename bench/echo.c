/* The floor for bench/connections: an echo server that keeps nothing of a connection but its socket.
 *
 *   echo PORT THREADS
 *
 * Each thread has a descriptor table of its own (unshare, CLONE_FILES), like the servers it is compared with.
 * A thread without a free descriptor leaves the listener to the others.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>

#include "listening.h"

enum { EVENTS = 512, BUFFER_BYTES = 32, BACKLOG = 4096, THREADS_MAX = 512, ACCEPTS_MAX = 64 };

static int listener;

static void watch_listener(int poll) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLEXCLUSIVE, .data.fd = listener};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event) < 0) fail("epoll_ctl");
}

static void accept_some(int poll) {
    for (int i = 0; i < ACCEPTS_MAX; i++) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            watch(poll, fd);
        } else if (errno == EMFILE) {
            epoll_ctl(poll, EPOLL_CTL_DEL, listener, NULL);
            return;
        } else {
            if (errno != EAGAIN && errno != ECONNABORTED) fail("accept4");
            return;
        }
    }
}

/* A socket whose peer waits for four bytes always takes all of them. */
static void answer(int fd) {
    char message[BUFFER_BYTES];
    ssize_t length = recv(fd, message, sizeof message, 0);
    if (length < 0 && errno == EAGAIN) return;
    if (length <= 0 || send(fd, message, length, MSG_NOSIGNAL) != length) close(fd);
}

static void *work(void *unused) {
    struct epoll_event events[EVENTS];
    if (unshare(CLONE_FILES) < 0) fail("unshare");
    int poll = epoll_create1(EPOLL_CLOEXEC);
    watch_listener(poll);
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS, -1);
        for (int i = 0; i < ready; i++) {
            if (events[i].data.fd == listener) accept_some(poll);
            else answer(events[i].data.fd);
        }
    }
    return unused;
}

int main(int count, char **arguments) {
    pthread_t thread;
    int threads = count == 3 ? atoi(arguments[2]) : 0;
    if (threads < 1 || threads > THREADS_MAX) {
        fprintf(stderr, "usage: echo PORT THREADS\n");
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    listener = listen_on(atoi(arguments[1]), SOCK_CLOEXEC, -1, BACKLOG);
    for (int i = 0; i < threads; i++) {
        if (pthread_create(&thread, NULL, work, NULL)) fail("pthread_create");
    }
    printf("listening\n");
    fflush(stdout);
    for (;;) pause();
}

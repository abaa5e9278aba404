/* Code that the servers in bench/ share: a listener on the loopback, and the exit after an error. */
#ifndef LISTENING_H
#define LISTENING_H
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

static void fail(const char *what) {
    perror(what);
    exit(3);
}

/* With a CPU of 0 or more the listener shares its port with those of other CPUs. */
static int listen_on(int port, int flags, int cpu, int backlog) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | flags, 0), on = 1;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* accepted sockets inherit it */
    if (cpu >= 0) {
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
        setsockopt(fd, SOL_SOCKET, SO_INCOMING_CPU, &cpu, sizeof cpu);
    }
    if (bind(fd, (struct sockaddr *)&at, sizeof at) < 0) fail("bind");
    if (listen(fd, backlog) < 0) fail("listen");
    return fd;
}

static inline void watch(int poll, int fd) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event) < 0) fail("epoll_ctl");
}
#endif

/* The client of bench/connections: holds connections to an echo server and checks every answer.
 *
 *   converse PORT PORTS CONNECTIONS
 *
 * The connections go to the ports in turn. Each connection has a number and sends it in four bytes when it
 * connects. It counts as open when the answer has arrived. At most 256 connections of a thread, and 2,048 of all,
 * are not open yet. When all are open, the program prints "opened CONNECTIONS SECONDS" and follows the commands
 * on its standard input:
 *
 *   talk RATE SECONDS    sends RATE messages a second on all connections together, evenly, each connection in
 *                        turn; prints "talked MESSAGES SECONDS CPUSECONDS LATE". A message is late if it cannot
 *                        be sent because the previous one of its connection has no answer yet
 *
 * The program ends with its standard input. A wrong answer, a close or an error ends it with status 1. A thread
 * has 19,000 connections, a descriptor table of its own (unshare, CLONE_FILES) and an address of its own,
 * 127.1.x.y.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 512, EACH = 19000, OPENING_MAX = 256, OPENING_ALL_MAX = 2048, FIRST_PORT = 10000, THREADS_MAX = 512, OPEN_SECONDS_MAX = 600 };

struct worker {
    pthread_t thread;
    int number, first, count, poll, open, next;
    int fds[EACH];
    char waiting[EACH]; /* for an answer */
    long long messages, late;
};

static struct worker *workers;
static int worker_count, connections, opening_max, port, ports;
static pthread_barrier_t turn;
static double rate, seconds; /* of the next talk; 0 seconds mean the end */

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void say(struct worker *w, int i) {
    int id = w->first + i;
    w->waiting[i] = 1;
    if (send(w->fds[i], &id, sizeof id, MSG_NOSIGNAL) != sizeof id) fail("send");
}

static void open_one(struct worker *w, int i) {
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_port = htons(FIRST_PORT + i),
        .sin_addr.s_addr = htonl(0x7f010001 + w->number)};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port + i % ports), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (fd < 0) fail("socket");
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&from, sizeof from) < 0) fail("bind");
    if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0) fail("connect");
    if (epoll_ctl(w->poll, EPOLL_CTL_ADD, fd, &event) < 0) fail("epoll_ctl");
    w->fds[i] = fd;
    say(w, i);
}

/* Over the loopback four bytes arrive together or not at all. */
static void hear(struct worker *w, int i) {
    int id = -1;
    ssize_t length = recv(w->fds[i], &id, sizeof id, 0);
    if (length < 0) fail("recv");
    if (length != sizeof id || id != w->first + i || !w->waiting[i]) {
        fprintf(stderr, "connection %d: %zd bytes, %d came back\n", w->first + i, length, id);
        exit(1);
    }
    w->waiting[i] = 0;
    w->messages++;
}

/* Waits with nanosecond precision: each message goes when it is due, not a group each millisecond. */
static void hear_all(struct worker *w, double most) {
    struct epoll_event events[EVENTS];
    struct timespec wait = {0};
    if (most > 0) wait = (struct timespec){.tv_sec = most, .tv_nsec = (most - (long)most) * 1e9};
    int ready = syscall(SYS_epoll_pwait2, w->poll, events, EVENTS, &wait, NULL, 0);
    if (ready < 0 && errno != EINTR) fail("epoll_pwait2");
    for (int i = 0; i < ready; i++) hear(w, events[i].data.u32);
}

static void open_all(struct worker *w) {
    double end = now(CLOCK_MONOTONIC) + OPEN_SECONDS_MAX;
    for (int opened = 0; w->messages < w->count;) {
        while (opened < w->count && opened - w->messages < opening_max) open_one(w, opened++);
        hear_all(w, 1);
        if (now(CLOCK_MONOTONIC) > end) {
            errno = ETIMEDOUT;
            fail("opening");
        }
    }
}

static void talk(struct worker *w) {
    double each = rate * w->count / connections, start = now(CLOCK_MONOTONIC), t;
    long long due, sent = 0;
    while ((t = now(CLOCK_MONOTONIC) - start) < seconds) {
        for (due = t * each; sent < due; sent++, w->next = (w->next + 1) % w->count) {
            if (w->waiting[w->next]) w->late++;
            else say(w, w->next);
        }
        hear_all(w, (sent + 1) / each - (now(CLOCK_MONOTONIC) - start));
    }
    while (memchr(w->waiting, 1, w->count)) hear_all(w, 1);
}

static void *work(void *given) {
    struct worker *w = given;
    prctl(PR_SET_TIMERSLACK, 1);
    if (unshare(CLONE_FILES) < 0) fail("unshare");
    w->poll = epoll_create1(EPOLL_CLOEXEC);
    open_all(w);
    pthread_barrier_wait(&turn);
    for (;;) {
        pthread_barrier_wait(&turn);
        if (seconds == 0) return NULL;
        talk(w);
        pthread_barrier_wait(&turn);
    }
}

static void sum(long long *messages, long long *late) {
    *messages = *late = 0;
    for (int i = 0; i < worker_count; i++) {
        *messages += workers[i].messages;
        *late += workers[i].late;
    }
}

static void talk_all(void) {
    long long before, messages, late_before, late;
    sum(&before, &late_before);
    double start = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
    sum(&messages, &late);
    printf("talked %lld %.3f %.3f %lld\n", messages - before, now(CLOCK_MONOTONIC) - start,
        now(CLOCK_PROCESS_CPUTIME_ID) - cpu, late - late_before);
    fflush(stdout);
}

int main(int count, char **arguments) {
    connections = count == 4 ? atoi(arguments[3]) : 0;
    worker_count = (connections + EACH - 1) / EACH;
    if (connections < 1 || worker_count > THREADS_MAX) {
        fprintf(stderr, "usage: converse PORT PORTS CONNECTIONS\n");
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    port = atoi(arguments[1]);
    ports = atoi(arguments[2]);
    opening_max = worker_count * OPENING_MAX < OPENING_ALL_MAX ? OPENING_MAX : OPENING_ALL_MAX / worker_count;
    workers = calloc(worker_count, sizeof *workers);
    pthread_barrier_init(&turn, NULL, worker_count + 1);
    double start = now(CLOCK_MONOTONIC);
    for (int i = 0; i < worker_count; i++) {
        int left = connections - i * EACH;
        workers[i].number = i;
        workers[i].first = i * EACH;
        workers[i].count = left < EACH ? left : EACH;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i])) fail("pthread_create");
    }
    pthread_barrier_wait(&turn);
    printf("opened %d %.3f\n", connections, now(CLOCK_MONOTONIC) - start);
    fflush(stdout);
    while (scanf(" talk %lf %lf", &rate, &seconds) == 2) talk_all();
    return 0; /* the kernel closes the connections */
}

/* The floor for bench/peers: a load generator that measures nothing. It uses io_uring as the engine does
 * (one thread, one ring, a multishot receive a connection, provided buffers, quiet sends; with `close`:
 * connects after the sends and closing after both) and sends the same request. It has no parser, no clock
 * and no histogram.
 *
 *   floor PORT CONNECTIONS SECONDS [close]
 *
 * Prints "requests seconds cpuSeconds". Every answer must be as long as the first one.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { REQUESTS = 2048, COMPLETIONS = 8192, BUFFERS = 512, BUFFER_BYTES = 16 * 1024 };

static int ring, queued;
static unsigned *sq_tail, *sq_mask, *cq_head, *cq_tail, *cq_mask;
static struct io_uring_sqe *sqes;
static struct io_uring_cqe *cqes;
static struct io_uring_buf_ring *buffers;
static char *buffer_memory;
static unsigned short buffer_tail;

static void fail(const char *what) {
    perror(what);
    exit(3);
}

static long long nanos(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static unsigned long long tag(int kind, int which) {
    return (unsigned long long)kind << 32 | (unsigned)which;
}

/* As in the engine, not all buffers begin at the same cache lines. */
static char *buffer(int id) {
    return buffer_memory + (long)id * (BUFFER_BYTES + 5 * 64);
}

static void give_back(int id) {
    struct io_uring_buf *entry = &buffers->bufs[buffer_tail++ & (BUFFERS - 1)];
    entry->addr = (unsigned long)buffer(id);
    entry->len = BUFFER_BYTES;
    entry->bid = id;
}

static void *map(size_t bytes, int flags, int fd, off_t offset) {
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, offset);
    if (at == MAP_FAILED) fail("mmap");
    return at;
}

static void open_ring(void) {
    struct io_uring_params p = {.cq_entries = COMPLETIONS,
        .flags = IORING_SETUP_CQSIZE | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN};
    int fd = syscall(SYS_io_uring_setup, REQUESTS, &p);
    if (fd < 0) fail("io_uring_setup");
    size_t bytes = p.cq_off.cqes + p.cq_entries * sizeof *cqes;
    if (bytes < p.sq_off.array + p.sq_entries * 4) bytes = p.sq_off.array + p.sq_entries * 4;
    char *at = map(bytes, MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQ_RING);
    sqes = map(p.sq_entries * sizeof *sqes, MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQES);
    sq_tail = (unsigned *)(at + p.sq_off.tail);
    sq_mask = (unsigned *)(at + p.sq_off.ring_mask);
    cq_head = (unsigned *)(at + p.cq_off.head);
    cq_tail = (unsigned *)(at + p.cq_off.tail);
    cq_mask = (unsigned *)(at + p.cq_off.ring_mask);
    cqes = (struct io_uring_cqe *)(at + p.cq_off.cqes);
    for (unsigned i = 0; i < p.sq_entries; i++) ((unsigned *)(at + p.sq_off.array))[i] = i;

    buffers = map(BUFFERS * sizeof(struct io_uring_buf), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    buffer_memory = map((size_t)BUFFERS * (BUFFER_BYTES + 5 * 64), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct io_uring_buf_reg reg = {.ring_addr = (unsigned long)buffers, .ring_entries = BUFFERS};
    if (syscall(SYS_io_uring_register, fd, IORING_REGISTER_PBUF_RING, &reg, 1) < 0) fail("PBUF_RING");
    for (int i = 0; i < BUFFERS; i++) give_back(i);
    __atomic_store_n(&buffers->tail, buffer_tail, __ATOMIC_RELEASE);

    struct io_uring_rsrc_update update = {.offset = -1U, .data = fd};
    if (syscall(SYS_io_uring_register, fd, IORING_REGISTER_RING_FDS, &update, 1) != 1) fail("RING_FDS");
    ring = update.offset;
}

static void enter(int wait) {
    int flags = IORING_ENTER_REGISTERED_RING | (wait ? IORING_ENTER_GETEVENTS : 0);
    int taken = syscall(SYS_io_uring_enter, ring, queued, wait, flags, NULL, 0);
    if (taken < 0 && errno != EINTR) fail("io_uring_enter");
    if (taken > 0) queued -= taken;
}

static struct io_uring_sqe *next(int operation, int fd, unsigned long long user_data) {
    if (queued == REQUESTS) enter(0);
    struct io_uring_sqe *sqe = &sqes[*sq_tail & *sq_mask];
    memset(sqe, 0, sizeof *sqe);
    sqe->opcode = operation;
    sqe->fd = fd;
    sqe->user_data = user_data;
    return sqe;
}

static void push(void) {
    __atomic_store_n(sq_tail, *sq_tail + 1, __ATOMIC_RELEASE);
    queued++;
}

static void take_completions(void (*completed)(struct io_uring_cqe *)) {
    unsigned head = *cq_head, tail = __atomic_load_n(cq_tail, __ATOMIC_ACQUIRE);
    for (; head != tail; head++) completed(&cqes[head & *cq_mask]);
    __atomic_store_n(cq_head, head, __ATOMIC_RELEASE);
    __atomic_store_n(&buffers->tail, buffer_tail, __ATOMIC_RELEASE);
}

enum { CONNECTIONS_MAX = 2048, CONNECT = 1, SEND = 2, RECEIVE = 3, CLOSE = 4 };

static struct sockaddr_in to;
static char request[128];
static int request_bytes, closing, fds[CONNECTIONS_MAX], got[CONNECTIONS_MAX], answer_bytes;
static int ended[CONNECTIONS_MAX], old[CONNECTIONS_MAX], ended_count;
static long long answers;

static void send_request(int slot) {
    struct io_uring_sqe *sqe = next(IORING_OP_SEND, fds[slot], tag(SEND, slot));
    sqe->addr = (unsigned long)request;
    sqe->len = request_bytes;
    sqe->msg_flags = MSG_NOSIGNAL | MSG_WAITALL;
    sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
    push();
}

static void receive(int slot) {
    struct io_uring_sqe *sqe = next(IORING_OP_RECV, fds[slot], tag(RECEIVE, slot));
    sqe->ioprio = IORING_RECV_MULTISHOT | IORING_RECVSEND_POLL_FIRST;
    sqe->flags = IOSQE_BUFFER_SELECT;
    push();
}

static void open_socket(int slot) {
    fds[slot] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fds[slot] < 0) fail("socket");
}

static void queue_connect(int slot) {
    struct io_uring_sqe *sqe = next(IORING_OP_CONNECT, fds[slot], tag(CONNECT, slot));
    sqe->addr = (unsigned long)&to;
    sqe->off = sizeof to;
    push();
}

static void answered(int slot) {
    if (!closing) {
        send_request(slot);
        answers++;
    }
    got[slot] = 0;
}

static void ended_by_server(int slot) {
    if (!closing || got[slot]) {
        errno = EPIPE;
        fail("a connection");
    }
    answers++;
    old[ended_count] = fds[slot];
    ended[ended_count++] = slot;
    open_socket(slot);
}

static void completed(struct io_uring_cqe *cqe) {
    int slot = (int)cqe->user_data, kind = cqe->user_data >> 32;
    if (cqe->res < 0 && cqe->res != -ENOBUFS) {
        errno = -cqe->res;
        fail("a connection");
    }
    if (kind == CONNECT) {
        send_request(slot);
        receive(slot);
        return;
    }
    if (cqe->res > 0) {
        give_back(cqe->flags >> IORING_CQE_BUFFER_SHIFT);
        if (!answer_bytes) answer_bytes = cqe->res;
        got[slot] += cqe->res;
        if (got[slot] == answer_bytes) answered(slot);
    }
    if (cqe->res == 0) ended_by_server(slot);
    else if (!(cqe->flags & IORING_CQE_F_MORE)) receive(slot);
}

static void step(void) {
    enter(1);
    take_completions(completed);
    for (int i = 0; i < ended_count; i++) queue_connect(ended[i]);
    for (int i = 0; i < ended_count; i++) {
        next(IORING_OP_CLOSE, old[i], tag(CLOSE, 0))->flags = IOSQE_CQE_SKIP_SUCCESS;
        push();
    }
    ended_count = 0;
}

static void begin(int slot) {
    int on = 1;
    open_socket(slot);
    if (closing) {
        queue_connect(slot);
        return;
    }
    if (connect(fds[slot], (struct sockaddr *)&to, sizeof to) < 0) fail("connect");
    setsockopt(fds[slot], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    receive(slot);
    send_request(slot);
}

int main(int count, char **arguments) {
    if (count != 4 && !(count == 5 && !strcmp(arguments[4], "close"))) {
        fprintf(stderr, "usage: floor PORT CONNECTIONS SECONDS [close]\n");
        return 2;
    }
    int port = atoi(arguments[1]), connections = atoi(arguments[2]);
    closing = count == 5;
    to = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (connections < 1 || connections > CONNECTIONS_MAX) return 2;
    request_bytes = snprintf(request, sizeof request, closing ? REQUEST_CLOSE : REQUEST, port);
    open_ring();
    for (int i = 0; i < connections; i++) begin(i);
    long long start = nanos(CLOCK_MONOTONIC), cpu = nanos(CLOCK_PROCESS_CPUTIME_ID);
    long long end = start + (long long)(atof(arguments[3]) * 1e9);
    while (nanos(CLOCK_MONOTONIC) < end) step();
    printf("%lld %.3f %.3f\n", answers, (nanos(CLOCK_MONOTONIC) - start) / 1e9, (nanos(CLOCK_PROCESS_CPUTIME_ID) - cpu) / 1e9);
    return 0;
}

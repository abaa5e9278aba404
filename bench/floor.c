/* The floor for bench/peers: what is left of a load generator when it measures nothing. The same
 * use of io_uring as the engine's (one thread, one ring, a multishot receive a connection, provided
 * buffers, quiet sends), the same request, no parser, no clock and no histogram.
 *
 *   floor PORT CONNECTIONS SECONDS
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

enum { REQUESTS = 2048, COMPLETIONS = 8192, BUFFERS = 512, BUFFER_BYTES = 16 * 1024, CONNECTIONS_MAX = 2048 };
enum { RECEIVE = 1 << 30 };

static char request[128];
static int request_bytes, fds[CONNECTIONS_MAX], got[CONNECTIONS_MAX], answer_bytes;
static long long answers;

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

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void give_back(int id) {
    struct io_uring_buf *entry = &buffers->bufs[buffer_tail++ & (BUFFERS - 1)];
    entry->addr = (unsigned long)(buffer_memory + (long)id * BUFFER_BYTES);
    entry->len = BUFFER_BYTES;
    entry->bid = id;
}

static void publish_buffers(void) {
    __atomic_store_n(&buffers->tail, buffer_tail, __ATOMIC_RELEASE);
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
    buffer_memory = map((size_t)BUFFERS * BUFFER_BYTES, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct io_uring_buf_reg reg = {.ring_addr = (unsigned long)buffers, .ring_entries = BUFFERS};
    if (syscall(SYS_io_uring_register, fd, IORING_REGISTER_PBUF_RING, &reg, 1) < 0) fail("PBUF_RING");
    for (int i = 0; i < BUFFERS; i++) give_back(i);
    publish_buffers();

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

static struct io_uring_sqe *next(int operation, int fd) {
    if (queued == REQUESTS) enter(0);
    struct io_uring_sqe *sqe = &sqes[*sq_tail & *sq_mask];
    memset(sqe, 0, sizeof *sqe);
    sqe->opcode = operation;
    sqe->fd = fd;
    return sqe;
}

static void push(void) {
    __atomic_store_n(sq_tail, *sq_tail + 1, __ATOMIC_RELEASE);
    queued++;
}

static void send_request(int slot) {
    struct io_uring_sqe *sqe = next(IORING_OP_SEND, fds[slot]);
    sqe->addr = (unsigned long)request;
    sqe->len = request_bytes;
    sqe->msg_flags = MSG_NOSIGNAL | MSG_WAITALL;
    sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
    sqe->user_data = slot;
    push();
}

static void receive(int slot) {
    struct io_uring_sqe *sqe = next(IORING_OP_RECV, fds[slot]);
    sqe->ioprio = IORING_RECV_MULTISHOT | IORING_RECVSEND_POLL_FIRST;
    sqe->flags = IOSQE_BUFFER_SELECT;
    sqe->user_data = RECEIVE | slot;
    push();
}

static void completed(struct io_uring_cqe *cqe) {
    int slot = cqe->user_data & ~RECEIVE;
    if (!(cqe->user_data & RECEIVE) || (cqe->res <= 0 && cqe->res != -ENOBUFS)) {
        errno = cqe->res < 0 ? -cqe->res : EPIPE;
        fail("a connection");
    }
    if (cqe->res > 0) {
        give_back(cqe->flags >> IORING_CQE_BUFFER_SHIFT);
        if (!answer_bytes) answer_bytes = cqe->res;
        got[slot] += cqe->res;
        if (got[slot] == answer_bytes) {
            got[slot] = 0;
            answers++;
            send_request(slot);
        }
    }
    if (!(cqe->flags & IORING_CQE_F_MORE)) receive(slot);
}

static void step(void) {
    enter(1);
    unsigned head = *cq_head, tail = __atomic_load_n(cq_tail, __ATOMIC_ACQUIRE);
    for (; head != tail; head++) completed(&cqes[head & *cq_mask]);
    __atomic_store_n(cq_head, head, __ATOMIC_RELEASE);
    publish_buffers();
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "usage: floor PORT CONNECTIONS SECONDS\n");
        return 2;
    }
    int port = atoi(arguments[1]), connections = atoi(arguments[2]), on = 1;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (connections < 1 || connections > CONNECTIONS_MAX) return 2;
    request_bytes = snprintf(request, sizeof request, REQUEST, port);
    open_ring();
    for (int i = 0; i < connections; i++) {
        fds[i] = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(fds[i], (struct sockaddr *)&to, sizeof to) < 0) fail("connect");
        setsockopt(fds[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        receive(i);
        send_request(i);
    }
    double start = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), end = start + atof(arguments[3]);
    while (seconds(CLOCK_MONOTONIC) < end) step();
    printf("%lld %.3f %.3f\n", answers, seconds(CLOCK_MONOTONIC) - start, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    return 0;
}

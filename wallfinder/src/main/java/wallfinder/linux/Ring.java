package wallfinder.linux;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// One io_uring with a ring of provided buffers (`include/uapi/linux/io_uring.h`). Only the thread
/// that opens it may use it. Nothing here allocates after construction.
///
/// Methods such as [#connect] and [#send] queue requests. The kernel gets the requests with the
/// next [#submitAndWait], or earlier if the queue is full. [#completions] says how many completions
/// can be read by index, and [#consumed] returns them to the kernel.
public final class Ring implements AutoCloseable {
    /// More completions of the same request will follow.
    public static final int MORE = 2;

    static final int SETUP_CQSIZE = 1 << 3;
    static final int SETUP_CLAMP = 1 << 4;
    static final int SETUP_SUBMIT_ALL = 1 << 7;
    static final int SETUP_SINGLE_ISSUER = 1 << 12;
    static final int SETUP_DEFER_TASKRUN = 1 << 13;
    static final int FEAT_SINGLE_MMAP = 1;
    static final int FEAT_NODROP = 1 << 1;
    static final int FEAT_EXT_ARG = 1 << 8;
    static final int FEAT_CQE_SKIP = 1 << 11;
    static final int ENTER_GETEVENTS = 1;
    static final int ENTER_EXT_ARG = 1 << 3;
    static final int ENTER_REGISTERED_RING = 1 << 4;
    static final int REGISTER_PROBE = 8;
    static final int REGISTER_RING_FDS = 20;
    static final int UNREGISTER_RING_FDS = 21;
    static final int REGISTER_PBUF_RING = 22;
    static final int OP_CONNECT = 16;
    static final int OP_CLOSE = 19;
    static final int OP_SEND = 26;
    static final int OP_RECV = 27;
    static final int OP_SUPPORTED = 1;
    static final int SQE_BUFFER_SELECT = 1 << 5;
    static final int SQE_CQE_SKIP_SUCCESS = 1 << 6;
    static final int POLL_FIRST = 1;
    static final int RECV_MULTISHOT = 2;
    static final int CQE_BUFFER = 1;
    static final int CQE_BUFFER_SHIFT = 16;
    static final long OFF_SQES = 0x10000000L;

    static final int NR_SETUP = 425;
    static final int NR_ENTER = 426;
    static final int NR_REGISTER = 427;
    private static final int FEATURES_NEEDED =
            FEAT_SINGLE_MMAP | FEAT_NODROP | FEAT_EXT_ARG | FEAT_CQE_SKIP;
    private static final int PROBE_OPS = 256;

    private static final NativeFunction SYSCALL = NativeFunction.raw();

    private static final int SCRATCH_BYTES = 8192;
    private static final int TIMESPEC_AT = 256;
    private static final int ARGUMENT_AT = 512;
    private static final int REGISTER_AT = 768;
    private static final int PROBE_AT = 4096;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final MemorySegment errno = Syscall.errnoSegment();
    private final int fd;
    private final int enterFd;
    private final int enterFlags;
    private final long scratch;
    private final long rings;
    private final long ringsBytes;
    private final long sqes;
    private final int entries;
    private final long sqTailAddress;
    private final long sqHeadAddress;
    private final long cqHeadAddress;
    private final long cqTailAddress;
    private final long cqes;
    private final int cqMask;
    private final BufferRing buffers;
    private int sqTail;
    private int sqSubmitted;
    private int cqHead;
    private boolean closed;

    private Ring(int fd, long scratch, BufferRing buffers) {
        this.fd = fd;
        this.scratch = scratch;
        this.buffers = buffers;
        checkSupport();
        registerBuffers();
        int registered = registerRing();
        enterFd = registered >= 0 ? registered : fd;
        enterFlags = registered >= 0 ? ENTER_REGISTERED_RING : 0;
        entries = Memory.getInt(scratch + Layouts.PARAMS_SQ_ENTRIES);
        int array = Memory.getInt(scratch + Layouts.PARAMS_SQ_ARRAY);
        int cqesOffset = Memory.getInt(scratch + Layouts.PARAMS_CQ_CQES);
        long completions = Memory.getInt(scratch + Layouts.PARAMS_CQ_ENTRIES);
        ringsBytes = Math.max(array + 4L * entries, cqesOffset + Layouts.CQE_SIZE * completions);
        rings = Memory.mapShared(fd, 0, ringsBytes);
        sqes = Memory.mapShared(fd, OFF_SQES, (long) entries * Layouts.SQE_SIZE);
        sqHeadAddress = rings + Memory.getInt(scratch + Layouts.PARAMS_SQ_HEAD);
        sqTailAddress = rings + Memory.getInt(scratch + Layouts.PARAMS_SQ_TAIL);
        cqHeadAddress = rings + Memory.getInt(scratch + Layouts.PARAMS_CQ_HEAD);
        cqTailAddress = rings + Memory.getInt(scratch + Layouts.PARAMS_CQ_TAIL);
        cqMask = Memory.getInt(rings + Memory.getInt(scratch + Layouts.PARAMS_CQ_MASK));
        cqes = rings + cqesOffset;
        for (int i = 0; i < entries; i++) {
            Memory.putInt(rings + array + 4L * i, i);
        }
        Memory.putLong(scratch + ARGUMENT_AT + Layouts.GETEVENTS_ARG_TS, scratch + TIMESPEC_AT);
    }

    /// Opens a ring that only the calling thread may use.
    ///
    /// @param requests how many requests may be queued at once; rounded up to a power of two
    /// @param completions how many may wait before the kernel stores the next ones elsewhere;
    ///   rounded up, too
    /// @param bufferCount a power of two
    /// @throws EnvironmentException if io_uring is missing, forbidden or too old
    public static Ring open(int requests, int completions, int bufferCount, int bufferBytes) {
        long scratch = Memory.map(SCRATCH_BYTES);
        int fd = -1;
        BufferRing buffers = null;
        try {
            fd = setup(scratch, requests, completions);
            buffers = new BufferRing(bufferCount, bufferBytes);
            return new Ring(fd, scratch, buffers);
        } catch (RuntimeException e) {
            if (fd >= 0) {
                Syscall.closeQuietly(fd);
            }
            if (buffers != null) {
                buffers.free();
            }
            Memory.unmap(scratch, SCRATCH_BYTES);
            throw e;
        }
    }

    /// Why this process cannot use io_uring, or null if it can.
    public static @Nullable String unavailableReason() {
        try (Ring _ = open(8, 8, 1, 4096)) {
            return null;
        } catch (EnvironmentException e) {
            return e.getMessage();
        }
    }

    private static int setup(long scratch, int requests, int completions) {
        int flags = SETUP_CQSIZE | SETUP_CLAMP | SETUP_SUBMIT_ALL;
        flags |= SETUP_SINGLE_ISSUER | SETUP_DEFER_TASKRUN;
        Memory.putInt(scratch + Layouts.PARAMS_CQ_ENTRIES, completions);
        Memory.putInt(scratch + Layouts.PARAMS_FLAGS, flags);
        long result = SYSCALL.call(Syscall.errnoSegment(), NR_SETUP, requests, scratch);
        return (int) Syscall.check("io_uring_setup", result);
    }

    private void checkSupport() {
        int features = Memory.getInt(scratch + Layouts.PARAMS_FEATURES);
        if ((features & FEATURES_NEEDED) != FEATURES_NEEDED) {
            throw tooOld("features " + Integer.toHexString(features));
        }
        Syscall.check(
                "io_uring_register(PROBE)",
                register(REGISTER_PROBE, scratch + PROBE_AT, PROBE_OPS));
        for (int op : new int[] {OP_SEND, OP_RECV, OP_CONNECT, OP_CLOSE}) {
            long at = scratch + PROBE_AT + Layouts.PROBE_SIZE + (long) op * Layouts.PROBE_OP_SIZE;
            if ((Memory.getShort(at + Layouts.PROBE_OP_FLAGS) & OP_SUPPORTED) == 0) {
                throw tooOld("operation " + op);
            }
        }
    }

    private static EnvironmentException tooOld(String missing) {
        String why = "the kernel does not have " + missing;
        return new EnvironmentException("cannot use io_uring", why, "use Linux 6.1 or newer");
    }

    private void registerBuffers() {
        long at = scratch + REGISTER_AT;
        Memory.putLong(at + Layouts.BUF_REG_RING_ADDR, buffers.entriesAddress());
        Memory.putInt(at + Layouts.BUF_REG_RING_ENTRIES, buffers.count());
        Memory.putShort(at + Layouts.BUF_REG_BGID, (short) BufferRing.GROUP);
        Syscall.check("io_uring_register(PBUF_RING)", register(REGISTER_PBUF_RING, at, 1));
        buffers.giveAll();
    }

    /// Registers the ring, so that the kernel need not look up its descriptor in each call.
    ///
    /// @return the registered index, or minus the errno
    private int registerRing() {
        long at = scratch + REGISTER_AT + 128;
        Memory.putInt(at + Layouts.RSRC_UPDATE_OFFSET, -1);
        Memory.putLong(at + Layouts.RSRC_UPDATE_DATA, fd);
        long result = register(REGISTER_RING_FDS, at, 1);
        return result == 1 ? Memory.getInt(at + Layouts.RSRC_UPDATE_OFFSET) : (int) result;
    }

    /// Without this a registered ring would live as long as its thread.
    private void unregisterRing() {
        long at = scratch + REGISTER_AT + 128;
        Memory.putInt(at + Layouts.RSRC_UPDATE_OFFSET, enterFd);
        Memory.putLong(at + Layouts.RSRC_UPDATE_DATA, 0);
        register(UNREGISTER_RING_FDS, at, 1);
    }

    private long register(int what, long argument, int count) {
        return SYSCALL.call(errno, NR_REGISTER, fd, what, argument, count);
    }

    /// Queues a send that does not report success. The kernel sends all bytes.
    public void sendQuietly(int socket, long address, int length, long userData) {
        long sqe = next(OP_SEND, SQE_CQE_SKIP_SUCCESS, socket, userData);
        fillSend(sqe, address, length, Sockets.MSG_NOSIGNAL | Sockets.MSG_WAITALL);
    }

    /// Queues a send that completes when all bytes are sent, or with an error.
    ///
    /// @param more whether another send follows at once, so that a packet with room may wait
    public void sendWhole(int socket, long address, int length, boolean more, long userData) {
        int flags = Sockets.MSG_NOSIGNAL | Sockets.MSG_WAITALL | (more ? Sockets.MSG_MORE : 0);
        fillSend(next(OP_SEND, 0, socket, userData), address, length, flags);
    }

    /// Queues a send that completes with the number of bytes that fit. On a socket that is still
    /// connecting, it waits for the connection, and fails with the connection's error.
    public void send(int socket, long address, int length, long userData) {
        fillSend(next(OP_SEND, 0, socket, userData), address, length, Sockets.MSG_NOSIGNAL);
    }

    private static void fillSend(long sqe, long address, int length, int messageFlags) {
        Memory.putLong(sqe + Layouts.SQE_ADDR, address);
        Memory.putInt(sqe + Layouts.SQE_LEN, length);
        Memory.putInt(sqe + Layouts.SQE_MSG_FLAGS, messageFlags);
    }

    /// Queues a connect, which completes when the connection is established or has failed.
    ///
    /// @param length the length of the socket address
    public void connect(int socket, long address, int length, long userData) {
        long sqe = next(OP_CONNECT, 0, socket, userData);
        Memory.putLong(sqe + Layouts.SQE_OFF, length);
        Memory.putLong(sqe + Layouts.SQE_ADDR, address);
    }

    /// Queues a close that does not report success.
    public void close(int socket, long userData) {
        next(OP_CLOSE, SQE_CQE_SKIP_SUCCESS, socket, userData);
    }

    /// Queues a receive with several completions, each with a buffer. The last one is without
    /// [#MORE].
    public void receive(int socket, long userData) {
        long sqe = next(OP_RECV, SQE_BUFFER_SELECT, socket, userData);
        Memory.putShort(sqe + Layouts.SQE_IOPRIO, (short) (RECV_MULTISHOT | POLL_FIRST));
        Memory.putShort(sqe + Layouts.SQE_BUF_GROUP, (short) BufferRing.GROUP);
    }

    /// Takes the next entry and sets all its fields, because entries are reused.
    private long next(int operation, int flags, int socket, long userData) {
        if (sqTail - Memory.getIntAcquire(sqHeadAddress) >= entries) {
            submit();
        }
        long sqe = sqes + (long) (sqTail & (entries - 1)) * Layouts.SQE_SIZE;
        Memory.putInt(sqe + Layouts.SQE_OPCODE, operation | flags << (8 * Layouts.SQE_FLAGS));
        Memory.putInt(sqe + Layouts.SQE_FD, socket);
        Memory.putLong(sqe + Layouts.SQE_OFF, 0);
        Memory.putLong(sqe + Layouts.SQE_ADDR, 0);
        Memory.putLong(sqe + Layouts.SQE_LEN, 0);
        Memory.putLong(sqe + Layouts.SQE_USER_DATA, userData);
        Memory.putLong(sqe + Layouts.SQE_BUF_GROUP, 0);
        Memory.putLong(sqe + Layouts.SQE_ADDR3, 0);
        sqTail++;
        return sqe;
    }

    public int queueEnd() {
        return sqTail;
    }

    /// Submits all requests before `queueEnd`. Call this before you close a socket: a request names
    /// the descriptor, which may belong to another socket after the close.
    public void submitTo(int queueEnd) {
        while (queueEnd - sqSubmitted > 0) {
            submit();
        }
    }

    /// Submits the queue without waiting. The kernel takes at least one request per call, so a full
    /// queue always gets room.
    private void submit() {
        Memory.putIntRelease(sqTailAddress, sqTail);
        long result = enter(sqTail - sqSubmitted, 0, 0, 0, 0);
        sqSubmitted += (int) Syscall.check("io_uring_enter", result);
    }

    /// Submits the queue and waits for a completion, at most `nanosMax` nanoseconds.
    ///
    /// @return the number of completions
    public int submitAndWait(long nanosMax) {
        Memory.putLong(scratch + TIMESPEC_AT, nanosMax / NANOS_PER_SECOND);
        Memory.putLong(scratch + TIMESPEC_AT + Layouts.TIMESPEC_NSEC, nanosMax % NANOS_PER_SECOND);
        Memory.putIntRelease(sqTailAddress, sqTail);
        long result =
                enter(
                        sqTail - sqSubmitted,
                        1,
                        ENTER_GETEVENTS | ENTER_EXT_ARG,
                        scratch + ARGUMENT_AT,
                        Layouts.GETEVENTS_ARG_SIZE);
        if (result >= 0) {
            sqSubmitted += (int) result;
        } else if (!isHarmless((int) -result)) {
            Syscall.check("io_uring_enter", result);
        } else {
            sqSubmitted = Memory.getIntAcquire(sqHeadAddress);
        }
        return completions();
    }

    /// A signal, the end of the time, or completions that must be read first.
    private static boolean isHarmless(int number) {
        return number == Errno.EINTR.number()
                || number == Errno.ETIME.number()
                || number == Errno.EBUSY.number()
                || number == Errno.EAGAIN.number();
    }

    private long enter(int submit, int wait, int flags, long argument, long argumentBytes) {
        return SYSCALL.call(
                errno,
                NR_ENTER,
                enterFd,
                submit,
                wait,
                flags | enterFlags,
                argument,
                argumentBytes);
    }

    public int completions() {
        return Memory.getIntAcquire(cqTailAddress) - cqHead;
    }

    /// The address of a completion; index 0 is the oldest.
    public long completion(int index) {
        return cqes + (long) ((cqHead + index) & cqMask) * Layouts.CQE_SIZE;
    }

    public static long userData(long completion) {
        return Memory.getLong(completion + Layouts.CQE_USER_DATA);
    }

    /// The result of a completed request, or minus its errno.
    public static int result(long completion) {
        return Memory.getInt(completion + Layouts.CQE_RES);
    }

    public static int flags(long completion) {
        return Memory.getInt(completion + Layouts.CQE_FLAGS);
    }

    public static int buffer(int flags) {
        return (flags & CQE_BUFFER) == 0 ? -1 : flags >>> CQE_BUFFER_SHIFT;
    }

    public long bufferAddress(int buffer) {
        return buffers.address(buffer);
    }

    public void giveBack(int buffer) {
        buffers.giveBack(buffer);
    }

    /// Returns the oldest completions, and the buffers of [#giveBack], to the kernel.
    public void consumed(int count) {
        cqHead += count;
        Memory.putIntRelease(cqHeadAddress, cqHead);
        buffers.publish();
    }

    /// Closes the ring and ends its requests. The caller still owns the sockets.
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (enterFd != fd) {
            unregisterRing();
        }
        Memory.unmap(rings, ringsBytes);
        Memory.unmap(sqes, (long) entries * Layouts.SQE_SIZE);
        Syscall.closeQuietly(fd);
        buffers.free();
        Memory.unmap(scratch, SCRATCH_BYTES);
    }
}

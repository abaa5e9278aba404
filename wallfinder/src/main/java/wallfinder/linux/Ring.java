package wallfinder.linux;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// One io_uring with a ring of provided buffers, for the one thread that makes it
/// (`include/uapi/linux/io_uring.h`). Nothing here allocates after construction.
///
/// Requests are queued by the methods named after them and reach the kernel with the next
/// [#submitAndWait], or earlier when the queue is full. Completions are then read by index, from
/// [#completions] on, and given back by [#consumed].
public final class Ring implements AutoCloseable {
    /// More completions of the same request will come.
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

    /// Makes a ring that only the calling thread may use.
    ///
    /// @param requests how many requests may be queued at once; rounded up to a power of two
    /// @param completions how many may wait before the kernel keeps them aside; rounded up too
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
                new Sockets().close(fd);
            }
            if (buffers != null) {
                buffers.free();
            }
            Memory.unmap(scratch, SCRATCH_BYTES);
            throw e;
        }
    }

    /// Why there is no io_uring for this process, or null if there is.
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

    private static EnvironmentException tooOld(String lacking) {
        return new EnvironmentException(
                "io_uring cannot be used", "the kernel lacks " + lacking, "use Linux 6.1 or newer");
    }

    private void registerBuffers() {
        long at = scratch + REGISTER_AT;
        Memory.putLong(at + Layouts.BUF_REG_RING_ADDR, buffers.entriesAddress());
        Memory.putInt(at + Layouts.BUF_REG_RING_ENTRIES, buffers.count());
        Memory.putShort(at + Layouts.BUF_REG_BGID, (short) BufferRing.GROUP);
        Syscall.check("io_uring_register(PBUF_RING)", register(REGISTER_PBUF_RING, at, 1));
        buffers.giveAll();
    }

    /// Spares the kernel the look-up of the descriptor in each call.
    ///
    /// @return its index, or minus the errno: then the descriptor is used
    private int registerRing() {
        long at = scratch + REGISTER_AT + 128;
        Memory.putInt(at + Layouts.RSRC_UPDATE_OFFSET, -1);
        Memory.putLong(at + Layouts.RSRC_UPDATE_DATA, fd);
        long result = register(REGISTER_RING_FDS, at, 1);
        return result == 1 ? Memory.getInt(at + Layouts.RSRC_UPDATE_OFFSET) : (int) result;
    }

    /// A registered ring would otherwise live as long as its thread.
    private void unregisterRing() {
        long at = scratch + REGISTER_AT + 128;
        Memory.putInt(at + Layouts.RSRC_UPDATE_OFFSET, enterFd);
        Memory.putLong(at + Layouts.RSRC_UPDATE_DATA, 0);
        register(UNREGISTER_RING_FDS, at, 1);
    }

    private long register(int what, long argument, int count) {
        return SYSCALL.call(errno, NR_REGISTER, fd, what, argument, count);
    }

    /// Queues a send whose success gives no completion: short sends are finished by the kernel.
    public void sendQuietly(int socket, long address, int length, long userData) {
        long sqe = next(OP_SEND, SQE_CQE_SKIP_SUCCESS, socket, userData);
        Memory.putLong(sqe + Layouts.SQE_ADDR, address);
        Memory.putInt(sqe + Layouts.SQE_LEN, length);
        Memory.putInt(sqe + Layouts.SQE_MSG_FLAGS, Sockets.MSG_NOSIGNAL | Sockets.MSG_WAITALL);
    }

    /// Queues a send that completes when all of it is sent, or an error ends it before.
    ///
    /// @param more whether more is sent at once, so that a packet that is not full may wait for it
    public void sendWhole(int socket, long address, int length, boolean more, long userData) {
        long sqe = next(OP_SEND, 0, socket, userData);
        int flags = Sockets.MSG_NOSIGNAL | Sockets.MSG_WAITALL | (more ? Sockets.MSG_MORE : 0);
        Memory.putLong(sqe + Layouts.SQE_ADDR, address);
        Memory.putInt(sqe + Layouts.SQE_LEN, length);
        Memory.putInt(sqe + Layouts.SQE_MSG_FLAGS, flags);
    }

    /// Queues a send that completes with what fitted. On a socket that is still connecting it waits
    /// for the connection, and fails with the connection's error.
    public void send(int socket, long address, int length, long userData) {
        long sqe = next(OP_SEND, 0, socket, userData);
        Memory.putLong(sqe + Layouts.SQE_ADDR, address);
        Memory.putInt(sqe + Layouts.SQE_LEN, length);
        Memory.putInt(sqe + Layouts.SQE_MSG_FLAGS, Sockets.MSG_NOSIGNAL);
    }

    /// Queues a connect, which completes when the connection stands or has failed.
    ///
    /// @param length that of the socket address
    public void connect(int socket, long address, int length, long userData) {
        long sqe = next(OP_CONNECT, 0, socket, userData);
        Memory.putLong(sqe + Layouts.SQE_OFF, length);
        Memory.putLong(sqe + Layouts.SQE_ADDR, address);
    }

    /// Queues the end of a descriptor, whose success gives no completion.
    public void close(int socket, long userData) {
        next(OP_CLOSE, SQE_CQE_SKIP_SUCCESS, socket, userData);
    }

    /// Queues a receive that completes again and again, each time with a buffer, until one of its
    /// completions lacks [#MORE].
    public void receive(int socket, long userData) {
        long sqe = next(OP_RECV, SQE_BUFFER_SELECT, socket, userData);
        Memory.putShort(sqe + Layouts.SQE_IOPRIO, (short) (RECV_MULTISHOT | POLL_FIRST));
        Memory.putShort(sqe + Layouts.SQE_BUF_GROUP, (short) BufferRing.GROUP);
    }

    /// Every field of an entry is set: the entries are reused.
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

    /// Where the queue ends now, for [#submitTo].
    public int queueEnd() {
        return sqTail;
    }

    /// Makes sure that all that was queued before `queueEnd` has been handed over. A request names
    /// a descriptor, which means another socket once it was closed: so this comes first.
    public void submitTo(int queueEnd) {
        while (queueEnd - sqSubmitted > 0) {
            submit();
        }
    }

    /// Hands over what is queued, without waiting. The kernel takes at least one request a call, so
    /// a full queue always gets room.
    private void submit() {
        Memory.putIntRelease(sqTailAddress, sqTail);
        long result = enter(sqTail - sqSubmitted, 0, 0, 0, 0);
        sqSubmitted += (int) Syscall.check("io_uring_enter", result);
    }

    /// Hands over what is queued and waits for a completion, or for some time to pass.
    ///
    /// @return how many completions there are
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
        } else if (!passes((int) -result)) {
            Syscall.check("io_uring_enter", result);
        } else {
            sqSubmitted = Memory.getIntAcquire(sqHeadAddress);
        }
        return completions();
    }

    /// A signal, the end of the time, or completions that have to be read first.
    private static boolean passes(int number) {
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

    /// How many completions can be read.
    public int completions() {
        return Memory.getIntAcquire(cqTailAddress) - cqHead;
    }

    /// The address of a completion, by its index from the oldest on.
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

    /// The buffer that came with a completion, or -1.
    public static int buffer(int flags) {
        return (flags & CQE_BUFFER) == 0 ? -1 : flags >>> CQE_BUFFER_SHIFT;
    }

    public long bufferAddress(int buffer) {
        return buffers.address(buffer);
    }

    public void giveBack(int buffer) {
        buffers.giveBack(buffer);
    }

    /// Gives the oldest completions, and the buffers given back, to the kernel.
    public void consumed(int count) {
        cqHead += count;
        Memory.putIntRelease(cqHeadAddress, cqHead);
        buffers.publish();
    }

    /// Ends the ring with all requests it holds. The sockets stay the caller's.
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
        new Sockets().close(fd);
        buffers.free();
        Memory.unmap(scratch, SCRATCH_BYTES);
    }
}

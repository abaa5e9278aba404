package wallfinder.sampling;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.HostUnits;

/// The system calls in which a thread may wait, and the page fault.
enum WaitingCall {
    /// A lock, a condition, a parked thread.
    FUTEX,

    /// A sleep.
    PAUSE,

    /// A sleep if it waits for no descriptor, as in Perl, and in Python before 3.11.
    SELECT,

    /// A lock on a file.
    FILE_LOCK,

    /// A file is written to its disk.
    FLUSH,

    /// The descriptor shows what is read.
    READ,

    /// The descriptor shows where it goes.
    WRITE,
    SEND,

    /// From a file to a socket: a thread in it waits for either.
    SENDFILE,

    /// No system call: the thread waits for a page of its memory.
    FAULT;

    /// The number of a call that arm64 does not have.
    private static final int NONE = Integer.MIN_VALUE;

    /// By their numbers (arch/x86/entry/syscalls, and include/uapi/asm-generic/unistd.h for arm64).
    private static final Map<Integer, WaitingCall> BY_NUMBER = new HashMap<>();

    static {
        FUTEX.has(202, 98);
        PAUSE.has(35, 101); // nanosleep
        PAUSE.has(230, 115); // clock_nanosleep
        SELECT.has(23, NONE); // select
        SELECT.has(270, 72); // pselect6
        FILE_LOCK.has(73, 32); // flock
        FLUSH.has(74, 82); // fsync
        FLUSH.has(75, 83); // fdatasync
        FLUSH.has(26, 227); // msync
        FLUSH.has(277, 84); // sync_file_range
        FLUSH.has(285, 47); // fallocate
        READ.has(0, 63); // read
        READ.has(19, 65); // readv
        READ.has(17, 67); // pread64
        READ.has(295, 69); // preadv
        READ.has(327, 286); // preadv2
        WRITE.has(1, 64); // write
        WRITE.has(20, 66); // writev
        WRITE.has(18, 68); // pwrite64
        WRITE.has(296, 70); // pwritev
        WRITE.has(328, 287); // pwritev2
        SEND.has(44, 206); // sendto
        SEND.has(46, 211); // sendmsg
        SEND.has(307, 269); // sendmmsg
        SENDFILE.has(40, 71);
        FAULT.has(ThreadPlace.NO_CALL, ThreadPlace.NO_CALL);
    }

    private void has(int onX86, int onArm) {
        BY_NUMBER.put(HostUnits.X86 ? onX86 : onArm, this);
    }

    /// Returns null for the others: a thread in them waits for events, for a peer or for a child.
    static @Nullable WaitingCall of(int number) {
        return BY_NUMBER.get(number);
    }
}

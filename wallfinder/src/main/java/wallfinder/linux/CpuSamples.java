package wallfinder.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/// Samples of what all online CPUs execute, by the kernel's own clock (`perf_event_open(2)`,
/// `PERF_COUNT_SW_CPU_CLOCK`). Works without a hardware counter, so also in virtual machines. Needs
/// root, or a low `kernel.perf_event_paranoid`.
public final class CpuSamples implements AutoCloseable {
    private static final long SAMPLES_PER_SECOND = 199;

    private static final int CALL_X86 = 298;
    private static final int CALL_ARM = 241;

    private static final int ATTRIBUTES_BYTES = 64;
    private static final int TYPE_SOFTWARE = 1;
    private static final long SAMPLE_TID = 1 << 1;
    private static final long SAMPLE_CALLS = 1 << 5;
    private static final long EXCLUDE_IDLE = 1 << 7;
    private static final long FREQUENCY = 1 << 10;
    private static final long CLOSE_ON_EXEC = 1 << 3;

    /// Room for the deepest calls of two seconds. The kernel gives each user so much for each CPU
    /// (`kernel.perf_event_mlock_kb`); more would need CAP_IPC_LOCK.
    private static final long DATA_BYTES_MAX = 1 << 19;

    /// Of all CPUs together.
    private static final long ALL_BYTES_MAX = 1 << 27;

    private static final long HEAD_AT = 1024;
    private static final long TAIL_AT = 1032;
    private static final int HEADER_BYTES = 8;
    private static final int RECORD_SAMPLE = 9;

    /// A larger value in a list of calls marks where the calls of another mode begin.
    private static final long MARKS_MIN = -4095;

    private static final long USER_MARK = -512;

    private static final int CALLS_MAX = 127;

    private static final NativeFunction SYSCALL = NativeFunction.raw();

    private final List<Buffer> buffers = new ArrayList<>();

    private final long dataBytes;

    /// @param dataBytes the room for the samples of a CPU, a power of two
    private CpuSamples(long dataBytes) {
        this.dataBytes = dataBytes;
    }

    /// What a thread executed: the addresses of its calls, the innermost first.
    ///
    /// @param kernel empty if it was not in the kernel
    /// @param program its own calls. The kernel follows frame pointers, so a program without them
    ///   has only the innermost call, or wrong ones
    @SuppressWarnings("ArrayRecordComponent") // read-only by convention
    public record Sample(int pid, int tid, long[] kernel, long[] program) {}

    private record Buffer(int descriptor, long address, long pageBytes) {}

    /// Begins to sample.
    ///
    /// @throws IOException if the online CPUs are unknown
    /// @throws SyscallException if the kernel refuses
    public static CpuSamples open() throws IOException {
        BitSet cpus = OnlineCpus.read();
        if (cpus.isEmpty()) {
            throw new IOException("this host does not show which CPUs are online");
        }
        CpuSamples samples = new CpuSamples(dataBytes(cpus.cardinality()));
        try {
            cpus.stream().forEach(samples::add);
            return samples;
        } catch (RuntimeException | Error e) {
            samples.close();
            throw e;
        }
    }

    /// The room for the samples of each of so many CPUs.
    static long dataBytes(int cpus) {
        return Math.clamp(
                Long.highestOneBit(ALL_BYTES_MAX / cpus), HostUnits.PAGE_BYTES, DATA_BYTES_MAX);
    }

    private void add(int cpu) {
        long opened = open(cpu);
        if (opened == -Errno.ENODEV.number()) {
            return; // the CPU has just gone offline
        }
        int descriptor = (int) Syscall.check("perf_event_open", opened);
        try {
            long page = HostUnits.PAGE_BYTES;
            long address = Memory.mapShared(descriptor, 0, page + dataBytes);
            buffers.add(new Buffer(descriptor, address, page));
        } catch (RuntimeException | Error e) {
            Syscall.closeQuietly(descriptor);
            throw e;
        }
    }

    /// The descriptor, or minus the errno.
    private static long open(int cpu) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(ATTRIBUTES_BYTES, Long.BYTES);
            attributes.set(ValueLayout.JAVA_INT, 0, TYPE_SOFTWARE);
            attributes.set(ValueLayout.JAVA_INT, 4, ATTRIBUTES_BYTES);
            attributes.set(ValueLayout.JAVA_LONG, 16, SAMPLES_PER_SECOND);
            attributes.set(ValueLayout.JAVA_LONG, 24, SAMPLE_TID | SAMPLE_CALLS);
            attributes.set(ValueLayout.JAVA_LONG, 40, EXCLUDE_IDLE | FREQUENCY);
            MemorySegment errno = Syscall.errnoSegment();
            long call = System.getProperty("os.arch").equals("aarch64") ? CALL_ARM : CALL_X86;
            long result =
                    SYSCALL.call(errno, call, attributes.address(), -1, cpu, -1, CLOSE_ON_EXEC);
            return Syscall.result(result, errno);
        }
    }

    /// The samples since the last call. If there were more than there is room for, the kernel has
    /// dropped the latest ones.
    public List<Sample> take() {
        List<Sample> samples = new ArrayList<>();
        buffers.forEach(buffer -> take(buffer, samples));
        return samples;
    }

    private void take(Buffer buffer, List<Sample> samples) {
        long head = Memory.getLongAcquire(buffer.address + HEAD_AT);
        long tail = Memory.getLong(buffer.address + TAIL_AT);
        while (tail < head) {
            Written record = new Written(buffer.address + buffer.pageBytes, dataBytes, tail);
            int type = (int) record.word(0);
            int bytes = (int) (record.word(0) >>> 48);
            if (bytes < HEADER_BYTES) {
                break; // the kernel never writes this
            }
            if (type == RECORD_SAMPLE) {
                samples.add(sample(record));
            }
            tail += bytes;
        }
        Memory.putLongRelease(buffer.address + TAIL_AT, head);
    }

    /// A record may begin at the end of the buffer and go on at its start. Its size and its place
    /// are multiples of eight bytes.
    private record Written(long data, long dataBytes, long at) {
        long word(int number) {
            return Memory.getLong(data + (at + (long) number * Long.BYTES) % dataBytes);
        }
    }

    private static Sample sample(Written record) {
        int pid = (int) record.word(1);
        int tid = (int) (record.word(1) >>> 32);
        int count = Math.clamp(record.word(2), 0, CALLS_MAX);
        long[] kernel = new long[count];
        long[] program = new long[count];
        int inKernel = 0;
        int inProgram = 0;
        boolean isProgram = false;
        for (int i = 0; i < count; i++) {
            long call = record.word(3 + i);
            if (call < 0 && call >= MARKS_MIN) {
                isProgram = call == USER_MARK;
            } else if (isProgram) {
                program[inProgram++] = call;
            } else {
                kernel[inKernel++] = call;
            }
        }
        return new Sample(
                pid, tid, Arrays.copyOf(kernel, inKernel), Arrays.copyOf(program, inProgram));
    }

    @Override
    public void close() {
        for (Buffer buffer : buffers) {
            Memory.unmap(buffer.address, buffer.pageBytes + dataBytes);
            Syscall.closeQuietly(buffer.descriptor);
        }
        buffers.clear();
    }
}

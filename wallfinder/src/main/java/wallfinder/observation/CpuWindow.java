package wallfinder.observation;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// What the CPUs did for a service in one of several windows of time.
///
/// @param answers that the service gave in this time; `NaN` if no client was seen
/// @param threads the CPU time of each thread that ran
/// @param stacks samples of the JVMs' own threads, each after the same CPU time, by the id of the
///   JVM. A JVM without them could not be sampled
/// @param nativeStacks samples of other processes, by their id
/// @param kernelSamples of the service's threads in the kernel, without those of collectors and
///   compilers, by what they were there for, such as the name of a system call; empty if the kernel
///   allows none
/// @param allocations samples of the JVMs' allocations
/// @param lost samples that the JVM took and could not keep
public record CpuWindow(
        double seconds,
        double answers,
        List<ThreadCpu> threads,
        Map<Integer, List<SampledStack>> stacks,
        Map<Integer, List<SampledStack>> nativeStacks,
        Map<String, Long> kernelSamples,
        List<SampledAllocation> allocations,
        long lost) {
    public CpuWindow {
        threads = List.copyOf(threads);
        stacks = Map.copyOf(stacks);
        nativeStacks = Map.copyOf(nativeStacks);
        kernelSamples = Map.copyOf(kernelSamples);
        allocations = List.copyOf(allocations);
    }

    /// The number of sampled stacks.
    public long samples() {
        return Stream.concat(stacks.values().stream(), nativeStacks.values().stream())
                .flatMap(List::stream)
                .mapToLong(SampledStack::count)
                .sum();
    }

    /// What a thread is there for.
    public enum Job {
        /// A thread of the program in a JVM.
        PROGRAM,
        /// A JVM's garbage collector.
        COLLECTOR,
        /// A JVM's JIT compiler.
        COMPILER,
        /// A thread of a process that is not a JVM.
        OTHER
    }

    /// @param pid the process's id
    /// @param process the kernel's name of the process
    /// @param name the kernel's name of the thread
    /// @param kernelSeconds the part in the kernel
    public record ThreadCpu(
            int pid, String process, String name, Job job, double seconds, double kernelSeconds) {}

    /// @param frames what the thread executed, the innermost call first
    public record SampledStack(List<Frame> frames, long count) {
        public SampledStack {
            frames = List.copyOf(frames);
        }
    }

    /// @param type the class of the new object
    /// @param frames who allocated it, the innermost call first
    /// @param bytes how much the sample stands for
    public record SampledAllocation(String type, List<Frame> frames, long bytes) {
        public SampledAllocation {
            frames = List.copyOf(frames);
        }
    }

    /// One call.
    ///
    /// @param type the class with its package; empty for a function that belongs to no class
    /// @param inNative whether the thread was outside of Java code: in a native method, or in the
    ///   kernel on its behalf
    public record Frame(String type, String method, boolean inNative) {
        /// The method of all functions of a file whose names are not known.
        public static final String NO_NAME = "(no symbol)";

        /// `org.example.Parser.parse`.
        public String name() {
            return type.isEmpty() ? method : type + "." + method;
        }
    }
}

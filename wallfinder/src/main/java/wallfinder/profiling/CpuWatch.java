package wallfinder.profiling;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.CpuSamples;
import wallfinder.linux.SyscallException;
import wallfinder.observation.CpuWindow.Frame;
import wallfinder.observation.CpuWindow.Job;
import wallfinder.observation.CpuWindow.SampledStack;

/// Counts what some processes are in the kernel for, and what those execute that are no JVM. Sees
/// nothing if the kernel allows no samples.
final class CpuWatch implements AutoCloseable {
    private final @Nullable KernelSymbols kernel = KernelSymbols.read().orElse(null);
    private final Map<Integer, NativeSymbols> programs = new HashMap<>();
    private final @Nullable CpuSamples samples;
    private final String unavailable;

    CpuWatch() {
        CpuSamples opened = null;
        String reason = "";
        try {
            opened = CpuSamples.open();
        } catch (IOException | SyscallException e) {
            reason = String.valueOf(e.getMessage());
        }
        samples = opened;
        unavailable = reason;
    }

    /// Why the kernel gives no samples; empty if it does.
    String unavailable() {
        return unavailable;
    }

    /// @param kernel samples in the kernel, by what the thread was there for
    /// @param stacks of each process that is no JVM. The innermost call counts as native if it
    ///   called the kernel
    record Seen(Map<String, Long> kernel, Map<Integer, List<SampledStack>> stacks) {}

    /// The samples since the last call. Those of a JVM's collectors and compilers do not count,
    /// because their time in the kernel is no part of the program's.
    ///
    /// @param jobs of the processes' threads, by their ids. Another thread of these processes has
    ///   ended, and its samples count for the main thread
    Seen take(Map<Integer, Job> jobs) {
        Map<String, Long> inKernel = new HashMap<>();
        Map<Integer, Map<List<Frame>, Long>> stacks = new HashMap<>();
        programs.values().forEach(NativeSymbols::refresh);
        for (CpuSamples.Sample sample :
                samples == null ? List.<CpuSamples.Sample>of() : samples.take()) {
            Job ofMain = jobs.get(sample.pid());
            if (ofMain == null) {
                continue;
            }
            Job job = jobs.getOrDefault(sample.tid(), ofMain);
            if (job == Job.COLLECTOR || job == Job.COMPILER) {
                continue;
            }
            if (kernel != null && sample.kernel().length > 0) {
                inKernel.merge(kernel.purpose(sample.kernel()), 1L, Long::sum);
            }
            if (job == Job.OTHER && sample.program().length > 0) {
                stacks.computeIfAbsent(sample.pid(), pid -> new HashMap<>())
                        .merge(frames(sample), 1L, Long::sum);
            }
        }
        Map<Integer, List<SampledStack>> counted = new HashMap<>();
        stacks.forEach((pid, counts) -> {
            List<SampledStack> all = new ArrayList<>();
            counts.forEach((frames, count) -> all.add(new SampledStack(frames, count)));
            counted.put(pid, all);
        });
        return new Seen(inKernel, counted);
    }

    private static NativeSymbols symbols(int pid) {
        NativeSymbols symbols = new NativeSymbols(pid);
        symbols.refresh();
        return symbols;
    }

    private List<Frame> frames(CpuSamples.Sample sample) {
        NativeSymbols symbols = programs.computeIfAbsent(sample.pid(), CpuWatch::symbols);
        List<Frame> frames = new ArrayList<>();
        for (long address : sample.program()) {
            Frame frame = symbols.frame(address);
            if (!frames.isEmpty() && NativeSymbols.isUnknown(frame)) {
                break; // without frame pointers, the kernel follows any value
            }
            boolean callsKernel = frames.isEmpty() && sample.kernel().length > 0;
            frames.add(callsKernel ? new Frame(frame.type(), frame.method(), true) : frame);
        }
        return frames;
    }

    @Override
    public void close() {
        if (samples != null) {
            samples.close();
        }
    }
}

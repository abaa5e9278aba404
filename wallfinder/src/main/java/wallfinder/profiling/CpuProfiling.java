package wallfinder.profiling;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import wallfinder.linux.OwnFolder;
import wallfinder.observation.Caveat;
import wallfinder.observation.CpuWindow;
import wallfinder.observation.CpuWindow.SampledAllocation;
import wallfinder.observation.CpuWindow.SampledStack;
import wallfinder.observation.CpuWindow.ThreadCpu;
import wallfinder.observation.Doubt;
import wallfinder.sampling.ThreadTimes;

/// Watches what the CPUs do for running processes of this host, from [#start] to [#stop].
public final class CpuProfiling implements Profiling {
    private static final int CPU_TIME_SAMPLES_SINCE = 25;

    private final Samples samples;
    private final ThreadTimes times;
    private final List<JavaProfiler> profilers = new ArrayList<>();
    private final List<Caveat> doubts = new ArrayList<>();
    private final List<Recording.Span> spans = new ArrayList<>();
    private Instant start = Instant.now();
    private final CpuWatch watch = new CpuWatch();
    private boolean anyJvm;
    private final List<CpuWatch.Seen> seen = new ArrayList<>();
    private final List<Double> answers = new ArrayList<>();
    private final List<List<ThreadCpu>> threads = new ArrayList<>();

    /// What a JVM samples.
    public enum Samples {
        /// Costs a service as little as possible.
        SPARING(5, false),
        /// Also who allocates, which costs a service that allocates much some percent.
        WITH_ALLOCATIONS(5, true),
        /// For the comparison of two profiles, which pay the same.
        FINE(1, false);

        private final int millis;
        private final boolean allocations;

        Samples(int millis, boolean allocations) {
            this.millis = millis;
            this.allocations = allocations;
        }

        /// After how much CPU time a thread gives a sample.
        int millis() {
            return millis;
        }

        boolean allocations() {
            return allocations;
        }
    }

    private CpuProfiling(long[] roots, Samples samples) {
        this.samples = samples;
        times = new ThreadTimes(roots);
        if (!watch.unavailable().isEmpty()) {
            doubts.add(Doubt.NO_KERNEL_SAMPLES.caveat(watch.unavailable()));
        }
    }

    /// Begins to sample the JVMs among some processes and their descendants.
    ///
    /// @param major the major version of a process's JVM, such as 21; 0 if it is no JVM
    public static CpuProfiling start(long[] roots, ToIntFunction<Long> major, Samples samples) {
        CpuProfiling profiling = new CpuProfiling(roots, samples);
        for (long pid : profiling.times.pids()) {
            int version = major.applyAsInt(pid);
            if (version > 0) {
                profiling.anyJvm = true;
                profiling.sample(pid, version);
            }
        }
        profiling.beginWindow();
        return profiling;
    }

    private void sample(long pid, int version) {
        List<String> reasons = new ArrayList<>();
        boolean begun = begins(new AsyncProfiler((int) pid, samples), reasons);
        if (!begun && version >= CPU_TIME_SAMPLES_SINCE) {
            begun = begins(new FlightRecorder((int) pid, samples), reasons);
        }
        if (!begun) {
            String why = "process %d: %s".formatted(pid, String.join("; ", reasons));
            doubts.add(Doubt.NO_STACKS.caveat(why));
        }
    }

    private boolean begins(JavaProfiler profiler, List<String> reasons) {
        String reason = profiler.start();
        if (reason.isEmpty()) {
            profilers.add(profiler);
            return true;
        }
        reasons.add(reason);
        profiler.close();
        return false;
    }

    @Override
    public List<Caveat> doubts() {
        return List.copyOf(doubts);
    }

    @Override
    public boolean anyJvm() {
        return anyJvm;
    }

    @Override
    public void beginWindow() {
        watch.take(times.jobs());
        times.look();
        start = Instant.now();
    }

    @Override
    public void endWindow(double answered) {
        answers.add(answered);
        threads.add(times.look());
        seen.add(watch.take(times.jobs()));
        Instant end = Instant.now();
        spans.add(new Recording.Span(start, end));
        start = end;
    }

    @Override
    public List<CpuWindow> stop() throws IOException {
        Map<Integer, Recording> recordings = new LinkedHashMap<>();
        for (JavaProfiler profiler : profilers) {
            recordings.put(profiler.pid(), recording(profiler));
        }
        List<CpuWindow> windows = new ArrayList<>();
        for (int i = 0; i < threads.size(); i++) {
            Map<Integer, List<SampledStack>> stacks = new HashMap<>();
            List<SampledAllocation> allocations = new ArrayList<>();
            long lost = 0;
            for (Map.Entry<Integer, Recording> of : recordings.entrySet()) {
                Recording recording = of.getValue();
                stacks.put(of.getKey(), recording.stacks(spans.get(i)));
                allocations.addAll(recording.allocations(spans.get(i)));
                lost += recording.lost(spans.get(i));
            }
            windows.add(
                    new CpuWindow(
                            spans.get(i).seconds(),
                            answers.get(i),
                            threads.get(i),
                            stacks,
                            seen.get(i).stacks(),
                            seen.get(i).kernel(),
                            allocations,
                            lost));
        }
        return windows;
    }

    private Recording recording(JavaProfiler profiler) throws IOException {
        try (OwnFolder folder = OwnFolder.make("wallfinder-profile-")) {
            Path file = folder.path().resolve("profile.jfr");
            profiler.stop(file);
            return Recording.read(file, profiler.event(), spans);
        }
    }

    @Override
    public void close() {
        profilers.forEach(JavaProfiler::close);
        watch.close();
        times.close();
    }
}

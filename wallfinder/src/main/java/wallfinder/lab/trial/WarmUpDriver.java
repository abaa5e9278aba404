package wallfinder.lab.trial;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.session.RunContext;
import wallfinder.live.Planned;
import wallfinder.load.LoadRun;
import wallfinder.record.RunRecord;

/// Drives a warm-up until the service is warm, or as long as `warmup` allows.
record WarmUpDriver(Testbed testbed, RunContext context) {
    /// The slower arm of a pair needs longer for the same number of answers.
    private static final int COUNTED_TIMES_LONGER = 2;

    private static final Duration DRAIN_MAX = Duration.ofSeconds(2);

    /// @param warm false if the service still got faster, or lacked answers, at the end of the time
    record Done(RunRecord.Warmup warmup, boolean warm) {}

    /// @param longest the longest warm-up, doubled if the number of answers is given
    /// @return null if the user stopped it
    @Nullable Done drive(LoadSpec.Http load, WarmUp warmUp, Duration longest) {
        Duration max = warmUp.answers() > 0 ? longest.multipliedBy(COUNTED_TIMES_LONGER) : longest;
        long start = System.nanoTime();
        Warmth warmth = new Warmth();
        try (ServiceCpu cpu = new ServiceCpu(testbed.serviceReaders());
                LoadRun run = LoadRun.start(testbed.plan(load, warmUp.connections()))) {
            boolean warm = false;
            ShownLoad shown = new ShownLoad(context.progress(), run.progress(), "answers/s");
            ServiceCpu.Used used = cpu.read();
            long answers = run.progress().requests();
            while (!warm && System.nanoTime() - start < max.toNanos()) {
                if (!context.interruption().pause(Warmth.WINDOW)) {
                    return null;
                }
                shown.show(
                        "warming up with %,d connections".formatted(warmUp.connections()),
                        Planned.atMost(start, max));
                ServiceCpu.Used usedNow = cpu.read();
                long answersNow = run.progress().requests();
                warm = warmth.add(window(answersNow - answers, usedNow.since(used)));
                warm &= answersNow >= warmUp.answers();
                used = usedNow;
                answers = answersNow;
            }
            run.finish(DRAIN_MAX);
            double seconds = (System.nanoTime() - start) / 1e9;
            long all = run.progress().requests();
            return new Done(new RunRecord.Warmup(all, seconds, warmth.cpuMicrosPerAnswer()), warm);
        }
    }

    private static Warmth.Window window(long answers, ServiceCpu.Used used) {
        return new Warmth.Window(answers, used.seconds(), used.compilerSeconds());
    }
}

package wallfinder.record;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.CpuProfile;
import wallfinder.diagnosis.ProfileChange;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.observation.CpuWindow;
import wallfinder.observation.CpuWindow.Frame;
import wallfinder.observation.CpuWindow.Job;
import wallfinder.observation.CpuWindow.SampledAllocation;
import wallfinder.observation.CpuWindow.SampledStack;
import wallfinder.observation.CpuWindow.ThreadCpu;
import wallfinder.record.RunRecord.Rung;

/// Runs with a profile, as a test of a report needs them.
public final class SampleProfile {
    private SampleProfile() {}

    /// A service at its CPU, with what the CPU did.
    public static RunRecord atCpu() {
        return atCpu(null);
    }

    /// The same, and a remedy that made parsing cheaper.
    public static RunRecord changed() {
        List<List<CpuWindow>> before = new ArrayList<>();
        List<List<CpuWindow>> after = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            before.add(List.of(window(0.8, 70 + i, i)));
            after.add(List.of(window(0.4, 20 - i, i)));
        }
        return atCpu(ProfileChange.of(before, after).orElseThrow());
    }

    private static RunRecord atCpu(@Nullable ProfileChange change) {
        List<CpuWindow> windows =
                List.of(window(0.8, 70, 0), window(0.8, 71, 1), window(0.8, 72, 2));
        RunRecord.Profile profile =
                new RunRecord.Profile(
                        CpuProfile.of(windows).orElseThrow(),
                        new RatioInterval(0.99, 0.98, 1.01, 3),
                        change);
        Rung rung =
                new Rung(
                        0,
                        null,
                        List.of(),
                        List.of(),
                        SampleRun.last(0).advice(),
                        null,
                        profile,
                        null,
                        List.of());
        return SampleRun.run(
                List.of(SampleRun.cpuBound("climb-1-connections-64")),
                List.of(rung),
                "the CPU limits it");
    }

    private static CpuWindow window(double seconds, long parse, int i) {
        return new CpuWindow(
                4,
                1_000,
                List.of(
                        new ThreadCpu(1, "java", "http-1", Job.PROGRAM, seconds, 0.1),
                        new ThreadCpu(1, "java", "GC Thread#0", Job.COLLECTOR, 0.2, 0)),
                Map.of(
                        1,
                        List.of(
                                stack(parse, "Parser.parse", "Handler.handle"),
                                stack(20, "Writer.write", "Handler.handle"),
                                stack(10, "Handler.handle"))),
                Map.of(),
                Map.of(),
                List.of(
                        new SampledAllocation(
                                "byte[]",
                                stack(1, "Parser.parse", "Handler.handle").frames(),
                                3_000_000),
                        new SampledAllocation(
                                "java.lang.String",
                                stack(1, "Handler.handle").frames(),
                                1_000_000L * (i + 1))),
                0);
    }

    private static SampledStack stack(long count, String... calls) {
        List<Frame> frames = new ArrayList<>();
        for (String call : calls) {
            String[] words = call.split("\\.");
            frames.add(new Frame("org.example." + words[0], words[1], false));
        }
        return new SampledStack(frames, count);
    }
}

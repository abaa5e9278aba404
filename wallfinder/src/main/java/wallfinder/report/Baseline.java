package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.UsageException;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;
import wallfinder.record.StoredRun;

/// A run compared with an earlier one of the same command, in a sentence or two. It compares walls.
/// Whether two rates differ beyond the noise, only `compare` can say.
///
/// @param changed whether another wall was reached
public record Baseline(boolean changed, String text) {
    private static final String NONE = "none";

    /// @throws UsageException if the baseline is a run of another command, or has no trial
    public static void check(StoredRun baseline, String kind) {
        String what = "--baseline " + baseline.file() + " cannot be used";
        if (!baseline.kind().equals(kind)) {
            throw new UsageException(
                    what,
                    "it is a run of the command " + baseline.kind(),
                    "name an earlier run of the command " + kind);
        }
        if (baseline.trials().isEmpty()) {
            throw new UsageException(
                    what, "it measured nothing", "name a run that was not interrupted");
        }
    }

    public static Baseline of(StoredRun before, RunRecord now) {
        List<String> was = walls(before);
        List<String> is = walls(now);
        List<String> sentences = new ArrayList<>();
        boolean changed = false;
        for (int i = 0; i < Math.max(was.size(), is.size()); i++) {
            String one = i < is.size() ? is.get(i) : null;
            String other = i < was.size() ? was.get(i) : null;
            String rung = now.ladder().size() > 1 || was.size() > 1 ? "rung " + (i + 1) + ": " : "";
            changed |= one == null || !one.equals(other);
            sentences.add(rung + sentence(one, other));
        }
        Finding main = Finding.main(now);
        double rate = rate(before);
        if (main != null && Double.isFinite(main.perSecond()) && Double.isFinite(rate)) {
            sentences.add(
                    NumberText.format("%,.1f answers/s; it was %,.1f/s", main.perSecond(), rate));
        }
        boolean named = before.host().containsKey(RunRecord.HOST_NAME);
        String there = machine(before.host(), named);
        String here = machine(now.host(), named);
        if (!there.equals(here)) {
            sentences.add("the host is %s; it was %s".formatted(here, there));
        }
        return new Baseline(changed, String.join(". ", sentences));
    }

    /// @param named whether its name counts, which older runs do not know
    private static String machine(Map<String, ?> host, boolean named) {
        String cpus =
                "%s CPUs %s"
                        .formatted(host.get("cpus"), Objects.toString(host.get("cpuModel"), ""))
                        .strip();
        return named ? "%s (%s)".formatted(host.get(RunRecord.HOST_NAME), cpus) : cpus;
    }

    private static String sentence(@Nullable String is, @Nullable String was) {
        if (is == null) {
            return "not reached; it was " + was;
        }
        if (was == null) {
            return "the wall is %s; there was no such rung".formatted(is);
        }
        if (is.equals(was)) {
            return is.equals(NONE) ? "there is no wall, as before" : "the wall is still " + is;
        }
        return is.equals(NONE)
                ? "there is no wall; it was " + was
                : "the wall is %s; %s"
                        .formatted(is, was.equals(NONE) ? "there was none" : "it was " + was);
    }

    private static List<String> walls(RunRecord run) {
        if (!run.ladder().isEmpty()) {
            return run.ladder().stream()
                    .map(rung -> Finding.of(run.trials().get(rung.trial())).wall())
                    .toList();
        }
        Finding main = Finding.main(run);
        return main == null ? List.of() : List.of(main.wall());
    }

    private static List<String> walls(StoredRun run) {
        return run.ladder().isEmpty()
                ? List.of(wall(run, run.trials().size() - 1))
                : run.ladder().stream().map(rung -> wall(run, rung.trial())).toList();
    }

    private static String wall(StoredRun run, int last) {
        StoredRun.Capacity capacity = run.capacity();
        Integer above = capacity == null || !run.ladder().isEmpty() ? null : capacity.wallTrial();
        int index = above == null ? last : above;
        if (index < 0 || index >= run.trials().size()) {
            return NONE;
        }
        StoredRun.Finding finding = run.trials().get(index).finding();
        return finding.wall() == null ? finding.verdict() : finding.wall();
    }

    private static double rate(StoredRun run) {
        if (run.capacity() != null) {
            return run.capacity().perSecond();
        }
        // A rung's rate is that of its pairs, which a stored run does not repeat.
        StoredRun.Load load = run.ladder().isEmpty() ? run.trials().getLast().load() : null;
        return load == null ? Double.NaN : load.goodPerSecond();
    }
}

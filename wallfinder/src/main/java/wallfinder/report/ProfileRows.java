package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import wallfinder.diagnosis.AllocationProfile;
import wallfinder.diagnosis.CpuProfile;
import wallfinder.diagnosis.CpuProfile.Share;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;

/// What the CPUs do for a service, as sentences and as the rows of two tables. The first row is the
/// head.
record ProfileRows(RunRecord.Profile found) {
    /// Smaller parts are left out.
    private static final double SHOWN_MIN = 0.005;

    private static final int TYPES_SHOWN_MAX = 3;
    private static final int ALLOCATORS_SHOWN_MAX = 5;
    private static final String INTERVAL = "95 % interval";
    private static final String BOUND = "without it at most";

    String headline() {
        CpuProfile profile = found.cpu();
        return hasAnswers()
                ? NumberText.format("An answer takes %,.0f us of CPU:", profile.microsPerAnswer())
                : NumberText.format("It used %.2f CPUs:", profile.cpus());
    }

    private boolean hasAnswers() {
        return !Double.isNaN(found.cpu().microsPerAnswer());
    }

    List<List<String>> parts() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(
                hasAnswers()
                        ? List.of("part of the CPU time", "kind", "us", "share", INTERVAL, BOUND)
                        : List.of("part of the CPU time", "kind", "share", INTERVAL, BOUND));
        for (CpuProfile.Part part : found.cpu().parts()) {
            if (part.share().mean() >= SHOWN_MIN) {
                rows.add(row(part));
            }
        }
        return rows;
    }

    private List<String> row(CpuProfile.Part part) {
        List<String> row = new ArrayList<>(List.of(part.name(), part.kind().word()));
        if (hasAnswers()) {
            row.add(
                    NumberText.format(
                            "%,.0f", part.share().mean() * found.cpu().microsPerAnswer()));
        }
        row.add(percent(part.share().mean()));
        row.add(interval(part.share()));
        row.add(bound(part.share()));
        return row;
    }

    List<List<String>> methods() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("method", "itself", INTERVAL, "with its calls", BOUND));
        for (CpuProfile.Method method : found.cpu().methods()) {
            rows.add(
                    List.of(
                            method.name(),
                            percent(method.self().mean()),
                            interval(method.self()),
                            percent(method.total().mean()),
                            bound(method.total())));
        }
        return rows;
    }

    /// How much is allocated, and as what; empty if that is unknown.
    String allocation() {
        AllocationProfile allocation = found.cpu().allocation();
        if (allocation == null) {
            return "";
        }
        String much =
                hasAnswers()
                        ? NumberText.format(
                                "An answer allocates %s", bytes(allocation.bytesPerAnswer()))
                        : NumberText.format(
                                "It allocates %s a second", bytes(allocation.bytesPerSecond()));
        return much
                + ": "
                + allocation.types().stream()
                        .limit(TYPES_SHOWN_MAX)
                        .map(type -> percent(type.share().mean()) + " " + type.name())
                        .collect(Collectors.joining(", "))
                + NumberText.format(" (%,d samples).", allocation.samples());
    }

    List<List<String>> allocators() {
        List<List<String>> rows = new ArrayList<>();
        AllocationProfile allocation = found.cpu().allocation();
        if (allocation == null) {
            return rows;
        }
        rows.add(List.of("allocated by", "share of the bytes", INTERVAL));
        for (AllocationProfile.Allocated one : allocation.methods()) {
            if (rows.size() <= ALLOCATORS_SHOWN_MAX) {
                rows.add(List.of(one.name(), percent(one.share().mean()), interval(one.share())));
            }
        }
        return rows;
    }

    private static String bytes(double bytes) {
        return bytes < 10_000
                ? NumberText.format("%.0f bytes", bytes)
                : bytes < 10_000_000
                        ? NumberText.format("%,.0f kB", bytes / 1e3)
                        : NumberText.format("%,.0f MB", bytes / 1e6);
    }

    /// How many samples there are, and what they cost.
    String source() {
        CpuProfile profile = found.cpu();
        String samples =
                NumberText.format(
                        "%,d samples of stacks, %,d lost", profile.samples(), profile.lost());
        return found.cost() == null
                ? samples + "."
                : NumberText.format(
                        "%s. With the profiler, the service gave %.2f times as many answers, %s.",
                        samples, found.cost().ratio(), NumberText.interval(found.cost()));
    }

    /// What the last column of both tables means.
    String bounds() {
        return "Without it at most: how many times as many answers, if it took no time (Amdahl's law)."
                + " A bound, not a forecast, and only where the CPU is the wall.";
    }

    private static String bound(Share share) {
        return Double.isNaN(share.speedupMax())
                ? "-"
                : NumberText.format("%.2f times", share.speedupMax());
    }

    private static String percent(double share) {
        return NumberText.format("%.1f %%", 100 * share);
    }

    private static String interval(Share share) {
        return Double.isNaN(share.low())
                ? "-"
                : NumberText.format("%.1f-%.1f %%", 100 * share.low(), 100 * share.high());
    }
}

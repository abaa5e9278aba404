package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import wallfinder.diagnosis.CpuProfile;
import wallfinder.diagnosis.CpuProfile.Share;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;

/// What the CPUs do for a service, as sentences and as the rows of two tables. The first row is the
/// head.
record ProfileRows(RunRecord.Profile found) {
    /// Smaller parts are left out.
    private static final double SHOWN_MIN = 0.005;

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
                        ? List.of("part of the CPU time", "kind", "us", "share", "95 % interval")
                        : List.of("part of the CPU time", "kind", "share", "95 % interval"));
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
        return row;
    }

    List<List<String>> methods() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("method", "itself", "95 % interval", "with its calls"));
        for (CpuProfile.Method method : found.cpu().methods()) {
            rows.add(
                    List.of(
                            method.name(),
                            percent(method.self().mean()),
                            interval(method.self()),
                            percent(method.total().mean())));
        }
        return rows;
    }

    /// How many samples there are, and what they cost.
    String source() {
        CpuProfile profile = found.cpu();
        String samples =
                NumberText.format(
                        "%,d samples of Java threads, %,d lost", profile.samples(), profile.lost());
        return found.cost() == null
                ? samples + "."
                : NumberText.format(
                        "%s. With the profiler, the service gave %.2f times as many answers, %s.",
                        samples, found.cost().ratio(), NumberText.interval(found.cost()));
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

package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import wallfinder.diagnosis.CpuProfile;
import wallfinder.diagnosis.CpuProfile.Share;
import wallfinder.record.NumberText;

/// What the CPUs do for a service, for the terminal.
final class ProfileText {
    /// Smaller parts are left out.
    private static final double SHOWN_MIN = 0.005;

    private ProfileText() {}

    static void write(CpuProfile profile, PlainText lines) {
        lines.strong(NumberText.format("It used %.2f CPUs:", profile.cpus()));
        List<List<String>> parts = new ArrayList<>();
        parts.add(List.of("part of the CPU time", "share", "95 % interval", "kind"));
        for (CpuProfile.Part part : profile.parts()) {
            if (part.share().mean() >= SHOWN_MIN) {
                parts.add(
                        List.of(
                                part.name(),
                                percent(part.share().mean()),
                                interval(part.share()),
                                part.kind().word()));
            }
        }
        lines.table(parts, false, true, true, false).blank();
        if (profile.methods().isEmpty()) {
            return;
        }
        List<List<String>> methods = new ArrayList<>();
        methods.add(List.of("method", "itself", "95 % interval", "with its calls"));
        for (CpuProfile.Method method : profile.methods()) {
            methods.add(
                    List.of(
                            method.name(),
                            percent(method.self().mean()),
                            interval(method.self()),
                            percent(method.total().mean())));
        }
        lines.table(methods, false, true, true, true);
        lines.faint(
                        "  ",
                        NumberText.format(
                                "%,d samples of Java threads, %,d lost.",
                                profile.samples(), profile.lost()))
                .blank();
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

package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import wallfinder.diagnosis.ProfileChange;
import wallfinder.diagnosis.ProfileChange.Micros;
import wallfinder.record.NumberText;

/// What a remedy changed in a profile, as sentences and as the rows of a table. The first row is
/// the head.
record ChangeRows(ProfileChange change) {
    /// The number of methods that are shown although they do not differ.
    private static final int SAME_SHOWN_MAX = 3;

    String headline() {
        Micros cpu = change.cpu();
        String much =
                NumberText.format(
                        "With the remedy, an answer takes %s us of CPU instead of %s",
                        micros(cpu.after()), micros(cpu.before()));
        return much + (cpu.differs() ? ":" : ", no difference beyond the noise:");
    }

    /// The parts and then the methods, each with those that differ first.
    List<List<String>> rows() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("part or method itself", "before", "after", "difference", "effect"));
        for (ProfileChange.Part part : change.parts()) {
            rows.add(row(part.name(), part.micros()));
        }
        int same = 0;
        for (ProfileChange.Method method : change.methods()) {
            if (method.self().differs() || same++ < SAME_SHOWN_MAX) {
                rows.add(row(method.name() + "()", method.self()));
            }
        }
        return rows;
    }

    private static List<String> row(String name, Micros micros) {
        return List.of(
                name,
                micros(micros.before()),
                micros(micros.after()),
                NumberText.format("%+,.1f to %+,.1f", micros.low(), micros.high()),
                micros.differs() ? (micros.difference() > 0 ? "more" : "less") : "same");
    }

    private static String micros(double value) {
        return NumberText.format(value < 100 ? "%.1f" : "%,.0f", value);
    }

    /// How to read the table.
    String source() {
        return NumberText.format(
                "Microseconds of CPU for an answer, over %d pairs of fresh processes. All intervals hold"
                        + " together in 95 %% of cases; \"same\" means no difference beyond the noise.",
                change.pairs());
    }
}

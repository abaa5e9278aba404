package wallfinder.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Quantity;
import wallfinder.record.FitRecord;
import wallfinder.record.FitRecord.Calibration;
import wallfinder.record.FitRecord.Candidate;
import wallfinder.record.FitRecord.KnockOut;
import wallfinder.record.FitRecord.Limit;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;
import wallfinder.record.StudyRecord;

/// The limits that a `fit` found, in words and tables for the terminal and the page.
///
/// @param run the run with the fit's trials
record FitTable(RunRecord run, FitRecord fit) {
    static final String FRONTIER = "Memory against throughput";

    static final String TURNS_NOTE =
            "memory: what cannot be reclaimed from the service; a change is kept if each of its"
                    + " trials needs 3 MB less than every trial before it, and the next changes build on it";

    private static final double MEGABYTE = 1 << 20;
    private static final double PERCENT = 100;

    /// `camel: the smallest memory limit of web, in steps of 10m; 3 candidates, 24 trials`.
    String heading() {
        return "%s: the smallest memory limit of %s, in steps of %s; %s, %s"
                .formatted(
                        run.name(),
                        fit.service(),
                        Quantity.bytesText(fit.stepBytes()),
                        NumberText.plural(fit.candidates().size(), "candidate", "candidates"),
                        NumberText.plural(fit.tries().size(), "trial", "trials"));
    }

    /// A row for each candidate. A column without any value is left out.
    Table<Candidate> table() {
        return new Table<>(
                        List.of(
                                Table.words("candidate", Candidate::name),
                                Table.figures("limit", one -> limit(one.warm())),
                                Table.words("a step less", one -> below(one.warm())),
                                Table.figures(
                                        "answers/s",
                                        one -> warm(one, Limit::perSecond, Table::rate)),
                                Table.figures(
                                        "p99",
                                        one ->
                                                warm(
                                                        one,
                                                        Limit::p99Nanos,
                                                        nanos ->
                                                                Table.known(
                                                                        nanos,
                                                                        NumberText::millis))),
                                Table.figures(
                                        "start",
                                        one -> warm(one, Limit::startSeconds, Table::seconds)),
                                Table.figures("cold", one -> limit(one.cold())),
                                Table.words("a step less", one -> below(one.cold())),
                                Table.figures(
                                        "start",
                                        one ->
                                                figure(
                                                        found(one.cold()),
                                                        Limit::startSeconds,
                                                        Table::seconds)),
                                Table.figures(
                                        "generous",
                                        one ->
                                                generous(
                                                        one,
                                                        Calibration::limitBytes,
                                                        FitTable::limitText)),
                                Table.figures(
                                        "answers/s",
                                        one -> generous(one, Calibration::perSecond, Table::rate)),
                                Table.figures(
                                        "start",
                                        one ->
                                                generous(
                                                        one,
                                                        Calibration::startSeconds,
                                                        Table::seconds))),
                        fit.candidates())
                .withoutUnknown(2);
    }

    private static String warm(
            Candidate one, ToDoubleFunction<Limit> figure, DoubleFunction<String> text) {
        return figure(found(one.warm()), figure, text);
    }

    private static String generous(
            Candidate one, ToDoubleFunction<Calibration> figure, DoubleFunction<String> text) {
        return figure(one.calibration(), figure, text);
    }

    private static <T> String figure(
            @Nullable T of, ToDoubleFunction<T> figure, DoubleFunction<String> text) {
        return of == null ? Table.UNKNOWN : text.apply(figure.applyAsDouble(of));
    }

    private static @Nullable Limit found(@Nullable Limit limit) {
        return limit == null || !limit.found() ? null : limit;
    }

    private static String limit(@Nullable Limit limit) {
        return limit == null
                ? Table.UNKNOWN
                : !limit.found()
                        ? "none"
                        : Quantity.bytesText(limit.bytes()) + (unverified(limit) ? " ?" : "");
    }

    private static boolean unverified(@Nullable Limit limit) {
        return limit != null && limit.found() && !limit.verified();
    }

    /// `memory-limit, 3 of 3`.
    private static String below(@Nullable Limit limit) {
        if (limit == null) {
            return Table.UNKNOWN;
        }
        return limit.because() == null
                ? "unknown"
                : "%s, %d of %d"
                        .formatted(limit.because().kind().word(), limit.knockOuts(), limit.below());
    }

    private static String limitText(double bytes) {
        return Quantity.bytesText((long) bytes);
    }

    private static String megabytes(double bytes) {
        return Table.known(bytes, known -> NumberText.format("%,.0f MB", known / MEGABYTE));
    }

    /// `Changes tried with 220m, starting from defaults`.
    static String turningHeading(FitRecord.Turning turning) {
        return "Changes tried with %s, starting from %s"
                .formatted(Quantity.bytesText(turning.limitBytes()), turning.from());
    }

    /// A row for each change that was tried.
    static Table<FitRecord.Turn> turns(FitRecord.Turning turning) {
        return new Table<>(
                List.of(
                        Table.words("change", FitRecord.Turn::what),
                        Table.words("set", FitRecord.Turn::set),
                        Table.figures(
                                "memory",
                                turn ->
                                        megabytes(turn.beforeBytes())
                                                + " -> "
                                                + megabytes(turn.bytes())),
                        Table.figures(
                                "answers/s",
                                turn ->
                                        Table.rate(turn.perSecondBefore())
                                                + " -> "
                                                + Table.rate(turn.perSecond())),
                        Table.words("", turn -> turn.dropped() == null ? "kept" : turn.dropped())),
                turning.turns());
    }

    /// The results, one sentence each.
    List<String> results() {
        List<String> results = new ArrayList<>();
        FitRecord.Headline headline = fit.headline();
        if (headline != null) {
            results.add(equal(headline));
        }
        smallest(results);
        FitRecord.Turning turning = fit.turning();
        if (turning != null && turning.candidate() != null) {
            results.add(
                    "%s is %s with %s"
                            .formatted(
                                    turning.candidate(),
                                    turning.from(),
                                    String.join(" ", turning.kept())));
        }
        return results;
    }

    private String equal(FitRecord.Headline headline) {
        String first = fit.candidates().getFirst().name();
        if (headline.throughput() == null) {
            return "No candidate was shown to be as fast as %s with less memory than %s"
                    .formatted(first, Quantity.bytesText(headline.firstBytes()));
        }
        return NumberText.format(
                "The least memory at equal throughput: %s with %s, %s than %s (%s); %.2f times its"
                        + " answers/s, %s (95 %% interval, %s)",
                headline.candidate(),
                Quantity.bytesText(headline.bytes()),
                less(headline.bytes(), headline.firstBytes()),
                first,
                Quantity.bytesText(headline.firstBytes()),
                headline.throughput().ratio(),
                NumberText.interval(headline.throughput()),
                NumberText.plural(headline.throughput().pairs(), "pair", "pairs"));
    }

    private static String less(long bytes, long than) {
        double share = PERCENT * (than - bytes) / than;
        return NumberText.format("%.0f %% %s", Math.abs(share), share < 0 ? "more" : "less");
    }

    private void smallest(List<String> results) {
        Candidate first = fit.candidates().getFirst();
        Limit firstLimit = found(first.warm());
        fit.candidates().stream()
                .filter(one -> found(one.warm()) != null)
                .min(Comparator.comparingLong(one -> Objects.requireNonNull(one.warm()).bytes()))
                .ifPresent(one -> {
                    Limit least = Objects.requireNonNull(one.warm());
                    String than =
                            firstLimit == null || firstLimit.bytes() == least.bytes()
                                    ? ""
                                    : ", %s than %s"
                                            .formatted(
                                                    less(least.bytes(), firstLimit.bytes()),
                                                    first.name());
                    results.add(
                            "The smallest limit: %s with %s%s, at %s answers/s"
                                    .formatted(
                                            one.name(),
                                            Quantity.bytesText(least.bytes()),
                                            than,
                                            Table.rate(least.perSecond())));
                });
    }

    /// Remarks on the table, one sentence each.
    List<String> notes() {
        List<String> notes = new ArrayList<>();
        for (Candidate candidate : fit.candidates()) {
            String name = candidate.name();
            if (candidate.problem() != null) {
                notes.add(name + ": " + candidate.problem());
            }
            if (candidate.calibration() != null) {
                notes.add(name + ": " + calibration(candidate.calibration()));
            }
            because(name, candidate.warm(), notes);
            because(name + " with a cold page cache", candidate.cold(), notes);
        }
        if (fit.candidates().stream()
                .anyMatch(one -> unverified(one.warm()) || unverified(one.cold()))) {
            notes.add("?: not verified by three passes and by three knock-outs one step below");
        }
        if (fit.tries().stream().anyMatch(FitRecord.LimitTrial::cold)) {
            notes.add(
                    "cold: the service and its JVM started from copies that were not in the page cache;"
                            + " files that are in it already are not charged to the service");
        }
        if (fit.candidates().stream()
                .map(Candidate::calibration)
                .anyMatch(of -> of != null && of.jvm() != null)) {
            notes.add(
                    "run-java.profile in the run's folder has these figures: copy it next to"
                            + " launcher/run-java in the image or into JAVA_APP_DIR, and launcher/run-java"
                            + " computes the heap from it");
        }
        return notes;
    }

    private static void because(String candidate, @Nullable Limit limit, List<String> notes) {
        KnockOut because = limit == null ? null : limit.because();
        if (because != null) {
            notes.add("%s, a step less: %s".formatted(candidate, describe(because)));
        }
    }

    private static String describe(KnockOut knockOut) {
        return knockOut.kind().word() + "; " + String.join("; ", knockOut.evidence());
    }

    private static String calibration(Calibration of) {
        String memory =
                "with %s it used at most %s of its own and %s of kernel memory, which predicts %s"
                        .formatted(
                                Quantity.bytesText(of.limitBytes()),
                                megabytes(of.anonymousBytes()),
                                megabytes(of.kernelBytes()),
                                Quantity.bytesText(of.predictedBytes()));
        FitRecord.Jvm jvm = of.jvm();
        if (jvm == null) {
            return memory;
        }
        return memory
                + "; its JVM had %s classes, %s threads, %s of live heap (%s under load), %s of compiled code"
                        .formatted(
                                Table.known(jvm.classes(), NumberText::figure),
                                Table.known(of.threads(), NumberText::figure),
                                megabytes(jvm.liveBytes()),
                                megabytes(jvm.loadedBytes()),
                                megabytes(jvm.codeBytes()));
    }

    /// A line for each trial.
    List<String> trials() {
        return fit.tries().stream().map(FitTable::describe).toList();
    }

    private static String describe(FitRecord.LimitTrial trial) {
        return "%s: %s%s"
                .formatted(
                        trial.trial(),
                        trial.knockOut() == null ? "passed" : describe(trial.knockOut()),
                        trial.discarded() == null ? "" : " (discarded: " + trial.discarded() + ")");
    }

    void write(PlainText lines) {
        lines.strong(heading()).blank();
        lines.table(table()).blank();
        notes().forEach(note -> lines.add("  ", note));
        FitRecord.Turning turning = fit.turning();
        if (turning != null) {
            lines.blank().strong(turningHeading(turning));
            lines.table(turns(turning)).blank();
            lines.add("  ", TURNS_NOTE);
        }
        StudyRecord frontier = run.study();
        if (frontier != null) {
            StudyTable points = new StudyTable(run, frontier);
            lines.blank().strong(FRONTIER);
            lines.table(points.table()).blank();
            points.notes().forEach(note -> lines.add("  ", note));
        }
        lines.blank();
        results().forEach(lines::strong);
    }
}

package wallfinder.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.DoubleFunction;
import java.util.stream.Stream;
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

/// The table of a fit, and what it says: the same words on the terminal and on the page.
///
/// @param run whose trials they are
record FitTable(RunRecord run, FitRecord fit) {
    static final String FRONTIER = "Memory against throughput";

    static final String TURNS_NOTE =
            "memory is what cannot be given back; what is turned is kept if each of its trials needs less"
                    + " than any of those before it, and stands for what comes after it";

    private static final String UNKNOWN = "-";
    private static final double MEGABYTE = 1 << 20;
    private static final double PERCENT = 100;
    private static final List<String> HEAD =
            List.of(
                    "candidate",
                    "limit",
                    "a step less",
                    "answers/s",
                    "p99",
                    "start",
                    "cold",
                    "a step less",
                    "start",
                    "generous",
                    "answers/s",
                    "start");
    private static final boolean[] RIGHT = {
        false, true, false, true, true, true, true, false, true, true, true, true
    };

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

    /// `What was turned, from defaults on, with 220m`.
    static String turningHeading(FitRecord.Turning turning) {
        return "What was turned, from %s on, with %s"
                .formatted(turning.from(), Quantity.bytesText(turning.limitBytes()));
    }

    /// The columns' names, and below them a row for each thing that was turned.
    static List<List<String>> turns(FitRecord.Turning turning) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("turned", "set", "memory", "answers/s", ""));
        for (FitRecord.Turn turn : turning.turns()) {
            rows.add(
                    List.of(
                            turn.what(),
                            turn.set(),
                            beforeAndAfter(turn.beforeBytes(), turn.bytes(), FitTable::megabytes),
                            beforeAndAfter(
                                    turn.perSecondBefore(), turn.perSecond(), FitTable::rate),
                            turn.dropped() == null ? "kept" : turn.dropped()));
        }
        return rows;
    }

    private static String beforeAndAfter(double before, double after, DoubleFunction<String> told) {
        return known(before, told) + " -> " + known(after, told);
    }

    static boolean[] turnsRight() {
        return new boolean[] {false, false, true, true, false};
    }

    static boolean[] right() {
        return RIGHT.clone();
    }

    /// The columns' names, and below them a row for each candidate.
    List<List<String>> rows() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEAD);
        for (Candidate candidate : fit.candidates()) {
            Limit warm = found(candidate.warm());
            Limit cold = found(candidate.cold());
            Calibration with = candidate.calibration();
            rows.add(
                    List.of(
                            candidate.name(),
                            limit(candidate.warm()),
                            below(candidate.warm()),
                            warm == null ? UNKNOWN : rate(warm.perSecond()),
                            warm == null ? UNKNOWN : known(warm.p99Nanos(), NumberText::millis),
                            warm == null ? UNKNOWN : known(warm.startSeconds(), FitTable::seconds),
                            limit(candidate.cold()),
                            below(candidate.cold()),
                            cold == null ? UNKNOWN : known(cold.startSeconds(), FitTable::seconds),
                            with == null ? UNKNOWN : Quantity.bytesText(with.limitBytes()),
                            with == null ? UNKNOWN : rate(with.perSecond()),
                            with == null
                                    ? UNKNOWN
                                    : known(with.startSeconds(), FitTable::seconds)));
        }
        return rows;
    }

    private static @Nullable Limit found(@Nullable Limit limit) {
        return limit == null || !limit.found() ? null : limit;
    }

    private static String limit(@Nullable Limit limit) {
        return limit == null
                ? UNKNOWN
                : !limit.found()
                        ? "none"
                        : Quantity.bytesText(limit.bytes()) + (limit.verified() ? "" : " ?");
    }

    /// `memory-limit, 3 of 3`.
    private static String below(@Nullable Limit limit) {
        if (limit == null) {
            return UNKNOWN;
        }
        return limit.because() == null
                ? "not known"
                : "%s, %d of %d"
                        .formatted(limit.because().kind().word(), limit.knockOuts(), limit.below());
    }

    private static String known(double figure, DoubleFunction<String> told) {
        return Double.isNaN(figure) ? UNKNOWN : told.apply(figure);
    }

    private static String rate(double perSecond) {
        return known(perSecond, rate -> NumberText.format("%,.1f", rate));
    }

    private static String seconds(double seconds) {
        return NumberText.format("%,.2f s", seconds);
    }

    private static String megabytes(double bytes) {
        return NumberText.format("%,.0f MB", bytes / MEGABYTE);
    }

    /// What it comes to, one sentence each.
    List<String> results() {
        List<String> results = new ArrayList<>();
        FitRecord.Headline headline = fit.headline();
        if (headline != null) {
            results.add(equal(headline));
        }
        smallest().ifPresent(results::add);
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
            return "No other is as fast as %s with less memory than its %s"
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

    private Optional<String> smallest() {
        Limit first = found(fit.candidates().getFirst().warm());
        return fit.candidates().stream()
                .filter(candidate -> found(candidate.warm()) != null)
                .min(Comparator.comparingLong(one -> warm(one).bytes()))
                .map(candidate -> {
                    Limit least = warm(candidate);
                    String than =
                            first == null || first.bytes() == least.bytes()
                                    ? ""
                                    : ", %s than %s"
                                            .formatted(
                                                    less(least.bytes(), first.bytes()),
                                                    fit.candidates().getFirst().name());
                    return "The smallest limit: %s with %s%s, at %s answers/s"
                            .formatted(
                                    candidate.name(),
                                    Quantity.bytesText(least.bytes()),
                                    than,
                                    rate(least.perSecond()));
                });
    }

    private static Limit warm(Candidate candidate) {
        return Objects.requireNonNull(candidate.warm());
    }

    /// What has to be known of the table, one sentence each.
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
            because(name, "", candidate.warm(), notes);
            because(name, " with a cold page cache", candidate.cold(), notes);
        }
        boolean doubtful =
                fit.candidates().stream()
                        .flatMap(one ->
                                Stream.of(
                                        Optional.ofNullable(one.warm()),
                                        Optional.ofNullable(one.cold())))
                        .flatMap(Optional::stream)
                        .anyMatch(limit -> limit.found() && !limit.verified());
        if (doubtful) {
            notes.add("?: not verified by three passes, and three knock-outs one step below");
        }
        if (fit.tries().stream().anyMatch(FitRecord.LimitTrial::cold)) {
            notes.add(
                    "cold: the service and its JVM were started from copies that were dropped from the"
                            + " page cache before; without that their files were in memory already, and"
                            + " not on the service's account");
        }
        profile().ifPresent(notes::add);
        return notes;
    }

    private static void because(
            String name, String how, @Nullable Limit limit, List<String> notes) {
        KnockOut because = limit == null ? null : limit.because();
        if (because != null) {
            notes.add(
                    "%s%s, a step less: %s; %s"
                            .formatted(
                                    name,
                                    how,
                                    because.kind().word(),
                                    String.join("; ", because.evidence())));
        }
    }

    private static String calibration(Calibration of) {
        String told =
                "with %s it used %s of its own and %s of the kernel's at the most, so %s was predicted"
                        .formatted(
                                Quantity.bytesText(of.limitBytes()),
                                megabytes(of.anonymousBytes()),
                                megabytes(of.kernelBytes()),
                                Quantity.bytesText(of.predictedBytes()));
        FitRecord.Jvm jvm = of.jvm();
        if (jvm == null) {
            return told;
        }
        return told
                + NumberText.format(
                        "; its JVM had %s classes, %s threads, %s of live heap (%s under load), %s of compiled code",
                        known(jvm.classes(), classes -> NumberText.format("%,.0f", classes)),
                        known(of.threads(), threads -> NumberText.format("%,.0f", threads)),
                        known(jvm.liveBytes(), FitTable::megabytes),
                        known(jvm.loadedBytes(), FitTable::megabytes),
                        known(jvm.codeBytes(), FitTable::megabytes));
    }

    private Optional<String> profile() {
        return fit.candidates().stream()
                .map(Candidate::calibration)
                .filter(of -> of != null && of.jvm() != null)
                .findFirst()
                .map(_ ->
                        "run-java.profile, in the run's folder, has what was measured of the application:"
                                + " copy it beside launcher/run-java in the image, or into JAVA_APP_DIR, and"
                                + " the heap is computed from it");
    }

    /// All that was tried, one sentence each.
    List<String> tries() {
        return fit.tries().stream().map(FitTable::tried).toList();
    }

    private static String tried(FitRecord.LimitTrial tried) {
        return "%s: %s%s"
                .formatted(
                        tried.trial(),
                        tried.knockOut() == null
                                ? "OK"
                                : tried.knockOut().kind().word()
                                        + "; "
                                        + String.join("; ", tried.knockOut().evidence()),
                        tried.discarded() == null ? "" : " (discarded: " + tried.discarded() + ")");
    }

    void write(PlainText lines) {
        lines.strong(heading()).blank();
        lines.table(rows(), RIGHT).blank();
        notes().forEach(note -> lines.add("  ", note));
        FitRecord.Turning turning = fit.turning();
        if (turning != null) {
            lines.blank().strong(turningHeading(turning));
            lines.table(turns(turning), turnsRight()).blank();
            lines.add("  ", TURNS_NOTE);
        }
        StudyRecord frontier = run.study();
        if (frontier != null) {
            StudyTable points = new StudyTable(run, frontier);
            lines.blank().strong(FRONTIER);
            lines.table(points.rows(), points.right()).blank();
            points.notes().forEach(note -> lines.add("  ", note));
        }
        lines.blank();
        results().forEach(lines::strong);
    }
}

package wallfinder.report;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Advice;
import wallfinder.diagnosis.Budget;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Drift;
import wallfinder.diagnosis.Evidence;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.diagnosis.Verdict;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Loop;
import wallfinder.record.Applied;
import wallfinder.record.CapacityRecord;
import wallfinder.record.Climbs;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Rung;
import wallfinder.record.RunRecord.Trial;

/// What the commands print of a finished run. Each takes the folder with the run's files, or null
/// if no files were written.
///
/// @param ansi whether the output may be bold: only on a terminal
/// @param why whether each wall that is not named gets a line with its reason
public record Terminal(boolean ansi, boolean why) {
    public Terminal(boolean ansi) {
        this(ansi, false);
    }

    /// For `load` and `hold`: the figures, and the wall if there is one.
    public String load(RunRecord run, @Nullable Path folder) {
        PlainText lines = new PlainText(ansi);
        if (run.trials().isEmpty()) {
            lines.add("", run.name() + ": nothing was measured");
        }
        for (Trial trial : run.trials()) {
            LoadOutcome load = trial.observation().load();
            lines.strong(run.name() + ": " + LoadText.describe(load) + ", " + engine(load));
            lines.blank();
            rates(load, lines);
            RunRecord.Warmup warmup = trial.warmup();
            if (warmup != null) {
                lines.add("  warm-up    ", LoadText.warmup(warmup) + " before, not counted");
            }
            otherHost(trial, lines);
            LoadText.generators(load).forEach(from -> lines.add("  from       ", from));
            lines.blank();
            TimesTable.write(load, lines);
            if (load instanceof LoadOutcome.Requests requests) {
                TimesTable.targets(requests, lines);
            }
            drift(trial, lines);
            judgement(trial, lines);
            outside(trial, lines);
            objective(trial, lines);
        }
        return ending(run, folder, "", lines);
    }

    /// For `run`: the cells of a matrix and their comparison.
    public String study(RunRecord run, @Nullable Path folder) {
        PlainText lines = new PlainText(ansi);
        if (run.study() != null) {
            new StudyTable(run, run.study()).write(lines);
        }
        return ending(run, folder, "", lines);
    }

    /// For `capacity`: the highest rate that holds an objective, and the wall above.
    public String capacity(RunRecord run, @Nullable Path folder) {
        PlainText lines = new PlainText(ansi);
        CapacityText.write(run, lines);
        if (!run.trials().isEmpty()) {
            otherHost(run.trials().getLast(), lines);
        }
        CapacityRecord capacity = run.capacity();
        if (capacity != null && capacity.wall() != null) {
            Trial trial = run.trials().get(capacity.wall());
            lines.blank().add("", "Above it, with " + summary(trial.observation().load()) + ":");
            judgement(trial, lines);
            outside(trial, lines);
        }
        return ending(run, folder, "", lines);
    }

    /// For `fit`: the smallest limits.
    public String fit(RunRecord run, @Nullable Path folder) {
        PlainText lines = new PlainText(ansi);
        if (run.fit() != null) {
            new FitTable(run, run.fit()).write(lines);
        }
        return ending(run, folder, "", lines);
    }

    /// For `watch`: a service that others drive.
    public String watch(RunRecord run, @Nullable Path folder) {
        PlainText lines = new PlainText(ansi);
        for (Trial trial : run.trials()) {
            watched(trial, run, lines);
            lines.add("  used       ", WatchedLevels.summary(trial.observation())).blank();
            drift(trial, lines);
            jvms(trial, lines);
            judgement(trial, lines);
            outside(trial, lines);
        }
        return ending(
                run, folder, ", observation.json (for load --peer on the client's host)", lines);
    }

    /// For `profile`: what the CPUs did.
    public String profile(RunRecord run, @Nullable Path folder) {
        PlainText lines = new PlainText(ansi);
        Trial trial = ProfileText.profiled(run.trials());
        if (trial.observation().load() instanceof LoadOutcome.Unseen) {
            watched(trial, run, lines);
            jvms(trial, lines);
        } else {
            Trial alone = run.trials().getFirst();
            lines.strong(run.name() + ": " + summary(alone.observation().load()));
            jvms(alone, lines);
            judgement(alone, lines);
        }
        ProfileText.write(trial.profile(), lines.blank());
        return ending(run, folder, "", lines);
    }

    private static void watched(Trial trial, RunRecord run, PlainText lines) {
        lines.strong(
                "%s: %s"
                        .formatted(
                                trial.factors().getOrDefault(RunRecord.WATCHED, run.name()),
                                LoadText.describe(trial.observation().load())));
    }

    /// For `find`: the ladder.
    public String find(RunRecord run, @Nullable Path folder) {
        PlainText lines = new PlainText(ansi);
        if (run.ladder().isEmpty()) {
            lines.strong(run.name() + ": " + withoutRung(run));
            CapacityText.last(run, lines);
            if (!run.trials().isEmpty()) {
                Trial last = run.trials().getLast();
                lines.add("  ", summary(last.observation().load()));
                otherHost(last, lines);
                jvms(last, lines);
                judgement(last, lines);
            }
        } else {
            lines.strong(
                    run.name()
                            + ": the ladder of "
                            + NumberText.plural(run.ladder().size(), "rung", "rungs"));
            CapacityText.last(run, lines);
            lines.table(ladder(run), true, false, false, true, true, true, false, false);
            otherHost(run.trials().get(run.ladder().getLast().trial()), lines);
            jvms(run.trials().get(run.ladder().getFirst().trial()), lines);
            List<List<Trial>> climbs = Climbs.of(run);
            for (int i = 0; i < run.ladder().size(); i++) {
                rung(i + 1, run.ladder().get(i), run, lines.blank());
                Climbs.law(climbs.get(i))
                        .ifPresent(law -> lines.add("  scales by ", RemedyText.law(law)));
            }
        }
        return ending(run, folder, "", lines);
    }

    /// What a climb came to that ended before its first rung.
    private static String withoutRung(RunRecord run) {
        if (run.trials().isEmpty()) {
            return "nothing was measured";
        }
        Diagnosis last = run.trials().getLast().diagnosis();
        return switch (last.verdict()) {
            case NAMED ->
                    "it ended at "
                            + last.wallId().orElse("a wall")
                            + ", before a remedy was tested";
            case UNNAMED -> "it ended at an unknown wall";
            case INVALID -> "it ended at the generator's limit";
            case NONE -> "no wall was reached";
        };
    }

    /// For `doctor`: the limits that a plan meets.
    public String doctor(RunRecord run) {
        return LimitsTable.of(run, new PlainText(ansi));
    }

    private static String engine(LoadOutcome load) {
        return switch (load) {
            case LoadOutcome.Driven driven ->
                    driven.engine().driver()
                            + " with "
                            + NumberText.plural(driven.generator().threads(), "thread", "threads");
            case LoadOutcome.Command _ -> "command";
            case LoadOutcome.Unseen _ -> "unseen";
        };
    }

    private static void rates(LoadOutcome load, PlainText lines) {
        switch (load) {
            case LoadOutcome.Requests requests -> rates(requests, lines);
            case LoadOutcome.Held held -> HoldText.rates(held, lines);
            case LoadOutcome.Command command when command.countsRequests() -> {
                requests(command, 0, lines);
                lines.add("  connects   ", NumberText.count(command.connectionsOpened()));
                lines.add("  errors     ", LoadText.errors(command));
            }
            case LoadOutcome.Command _, LoadOutcome.Unseen _ ->
                    lines.add("  ", "rate unknown: the load command does not report it");
        }
    }

    private static void requests(LoadOutcome load, long inFlight, PlainText lines) {
        String rate = LoadText.rate(load) + "/s";
        if (load.bad() > 0) {
            rate += " good, " + NumberText.count(load.bad()) + " bad";
        }
        lines.add(
                "  requests   ",
                NumberText.format(
                        "%s answered in %s: %s; %,d under way at the end",
                        NumberText.count(load.answered()),
                        NumberText.seconds(load.seconds()),
                        rate,
                        inFlight));
    }

    private static void rates(LoadOutcome.Requests load, PlainText lines) {
        requests(load, load.inFlight(), lines);
        double bytes = load.exchanges().bytesReceived();
        double received = bytes / Math.max(1, load.answered()) * load.answersPerSecond();
        lines.add(
                "  received   ",
                NumberText.bytes(bytes) + ": " + NumberText.bytes(received) + "/s");
        lines.add("  connects   ", NumberText.count(load.connectionsOpened()));
        if (load.tls() != null) {
            lines.add("  TLS        ", LoadText.tls(load.tls()));
        }
        if (load.repeated() > 0) {
            lines.add(
                    "  repeated   ",
                    NumberText.count(load.repeated())
                            + " requests, because the server had closed the kept connection");
        }
        if (load.loop() instanceof Loop.Open open && open.waited() > 0) {
            lines.add(
                    "  waited     ",
                    NumberText.count(open.waited())
                            + " requests came due while all connections were busy");
        }
        lines.add("  statuses   ", LoadText.statuses(load));
        lines.add("  errors     ", LoadText.errors(load));
        String phases = LoadText.phases(load);
        if (!phases.isEmpty()) {
            lines.add("  phases     ", phases);
        }
        lines.add("  generator  ", LoadText.generator(load.generator(), load.seconds()));
    }

    private static String summary(LoadOutcome load) {
        return NumberText.format(
                "%s answers/s, response p99 %s, errors: %s (%s)",
                LoadText.rate(load),
                NumberText.percentile(load.responseNanos(), 99),
                LoadText.errors(load),
                LoadText.describe(load));
    }

    private void judgement(Trial trial, PlainText lines) {
        Diagnosis diagnosis = trial.diagnosis();
        String word = diagnosis.verdict() == Verdict.NAMED ? "Wall: " : "";
        lines.strong(word + VerdictText.verdict(trial));
        if (diagnosis.headline() != null) {
            evidence(diagnosis.headline(), lines);
        }
        also(diagnosis, lines);
        if (why || diagnosis.verdict() != Verdict.NONE) {
            budget(trial, lines);
        }
        if (trial.observation().load() instanceof LoadOutcome.Unseen) {
            BudgetTable.write(Budget.busy(trial.observation()), lines);
        }
        OtherWalls.write(diagnosis, why, lines);
    }

    private static void budget(Trial trial, PlainText lines) {
        Budget.of(trial.observation()).ifPresent(budget -> new BudgetTable(budget).write(lines));
    }

    private static void also(Diagnosis diagnosis, PlainText lines) {
        for (Judgement.Binds binds : diagnosis.also()) {
            lines.add("  also ", VerdictText.wall(binds));
            evidence(binds, lines);
        }
        if (diagnosis.verdict() == Verdict.INVALID && diagnosis.seen() != null) {
            lines.add("  also ", "no wall explains this: " + diagnosis.seen());
        }
    }

    private static void evidence(Judgement.Binds binds, PlainText lines) {
        for (Evidence evidence : binds.evidence()) {
            lines.add("  - ", evidence.says());
            lines.faint("    ", VerdictText.reading(evidence));
        }
    }

    private static void outside(Trial trial, PlainText lines) {
        advice(trial.advice(), lines);
    }

    /// The host of the server, if it was watched there.
    private static void otherHost(Trial trial, PlainText lines) {
        String peer = trial.factors().get(RunRecord.PEER);
        if (peer != null) {
            lines.add("  server     ", "watched on its own host: " + peer);
        }
    }

    private static void advice(List<Advice> advice, PlainText lines) {
        if (!advice.isEmpty()) {
            lines.add("  ", "What would move it (not verified):");
        }
        for (Advice one : advice) {
            lines.add("    ", one.command());
            lines.faint("      ", "price: " + one.price());
        }
    }

    private static void drift(Trial trial, PlainText lines) {
        Drift.of(trial.observation())
                .ifPresent(drift -> lines.add("  drift      ", VerdictText.drift(drift)));
    }

    private static void jvms(Trial trial, PlainText lines) {
        String jvms = VerdictText.jvms(trial.observation().facts());
        if (!jvms.isEmpty()) {
            lines.add("  JVMs       ", jvms);
        }
    }

    /// A hold has an objective even if the user gave none.
    private static void objective(Trial trial, PlainText lines) {
        Boolean met = trial.objectiveMet();
        if (met != null) {
            boolean held = trial.observation().load() instanceof LoadOutcome.Held;
            lines.add(
                    "",
                    "The objective was "
                            + (met ? "met" : "MISSED")
                            + (held
                                    ? " (all connections alive at the end, no wrong answer, and the given objective)."
                                    : "."));
        }
    }

    private static List<List<String>> ladder(RunRecord run) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(
                List.of(
                        "rung",
                        "wall",
                        "on",
                        RemedyText.rateTitle(run),
                        "p99",
                        "errors",
                        "load",
                        "moved by: gain (95 % interval)"));
        for (int i = 0; i < run.ladder().size(); i++) {
            Rung rung = run.ladder().get(i);
            List<String> row =
                    new ArrayList<>(RemedyText.cells(i + 1, rung, run.trials().get(rung.trial())));
            row.add(moved(rung.remedy()));
            rows.add(row);
        }
        return rows;
    }

    private static String moved(@Nullable Applied applied) {
        return applied == null
                ? "-"
                : applied.remedy().changes().getFirst().setting().name() + ": " + applied.text();
    }

    private void rung(int number, Rung rung, RunRecord run, PlainText lines) {
        Trial trial = run.trials().get(rung.trial());
        Diagnosis diagnosis = trial.diagnosis();
        lines.strong(number + ". " + VerdictText.verdict(trial));
        CapacityText.write(rung.capacity(), lines);
        lines.add("  ", summary(trial.observation().load()));
        if (diagnosis.headline() != null) {
            evidence(diagnosis.headline(), lines);
        }
        also(diagnosis, lines);
        budget(trial, lines);
        if (rung.profile() != null) {
            ProfileText.write(rung.profile(), lines);
        }
        if (rung.remedy() != null) {
            Applied applied = rung.remedy();
            lines.add("  moved by ", applied.remedy().text());
            lines.add("    " + RemedyText.figure(applied) + " ", RemedyText.gain(applied));
            if (applied.raised() != null) {
                lines.add("    ", RemedyText.proof(applied));
            }
            lines.add("    ", RemedyText.sideEffects(applied));
            lines.faint("    ", "price: " + applied.remedy().price());
            String started = RemedyText.startedUnderLoad(rung);
            if (!started.isEmpty()) {
                lines.add("  note: ", started);
            }
        }
        Harm harm = RemedyText.harm(diagnosis);
        rung.without().forEach(other -> attempt("  not moved by ", other, harm, lines));
        rung.tried().forEach(other -> attempt("  also tried ", other, Harm.THROUGHPUT, lines));
        rung.unmeasured()
                .forEach(other -> lines.add("  not measured ", RemedyText.unmeasured(other)));
        if (rung.remedy() == null) {
            advice(rung.advice(), lines);
        }
        if (why) {
            OtherWalls.write(diagnosis, true, lines);
        }
    }

    private static void attempt(String lead, Applied applied, Harm harm, PlainText lines) {
        lines.add(lead, RemedyText.attempt(applied, harm));
        if (applied.before().errors() > 0 || applied.p99().effect() != RatioInterval.Effect.NONE) {
            lines.add("    ", RemedyText.sideEffects(applied));
        }
    }

    /// @param further files in the folder
    private static String ending(
            RunRecord run, @Nullable Path folder, String further, PlainText lines) {
        Map<String, String> doubts = VerdictText.doubts(run);
        if (!doubts.isEmpty()) {
            lines.blank().strong("Doubts");
        }
        doubts.forEach((id, advice) -> lines.add("  " + id + ": ", advice));
        if (run.ended() != null) {
            lines.blank().add("Ended: ", run.ended());
        }
        if (folder != null) {
            lines.blank()
                    .add(
                            "Files: ",
                            "%s: report.html (open it in a browser), run.json, series.csv%s%s%s"
                                    .formatted(
                                            folder,
                                            RunFolder.hasTimes(run) ? ", latency.hlog" : "",
                                            run.experiment() == null ? "" : ", experiment.yaml",
                                            further));
        }
        return lines.toString();
    }
}

package wallfinder.report;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.stream.Collectors;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Drift;
import wallfinder.diagnosis.Evidence;
import wallfinder.diagnosis.Judgement;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.JvmFacts;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SandboxFacts;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Trial;

/// Verdicts, evidence and doubts in words, the same on the terminal and on the page.
final class VerdictText {
    private VerdictText() {}

    /// The verdict as one sentence.
    static String verdict(Trial trial) {
        Diagnosis diagnosis = trial.diagnosis();
        return switch (diagnosis.verdict()) {
            case NAMED -> wall(Objects.requireNonNull(diagnosis.headline(), "a named wall"));
            case INVALID ->
                    "Invalid: the load generator was the wall. The service can do at least this; how"
                            + " much more is unknown";
            case UNNAMED -> "Stopped by no known wall: " + diagnosis.seen();
            case NONE -> noWall(trial.observation().load());
        };
    }

    private static String noWall(LoadOutcome load) {
        return switch (load) {
            case LoadOutcome.Requests _ when load.answered() == 0 && load.networkErrors() == 0 ->
                    "Nothing to judge: no request was answered, and none failed";
            case LoadOutcome.Requests _ when load.answers().mostlyBadAlone() ->
                    "Nothing to judge: even a single request gets a bad answer";
            case LoadOutcome.Command _ when !load.countsRequests() ->
                    "No wall was seen. What the load command did is unknown";
            case LoadOutcome.Unseen _ ->
                    "No wall: no limit stopped the service for most of the time";
            case LoadOutcome.Requests _, LoadOutcome.Held _, LoadOutcome.Command _ ->
                    "No wall was reached at this load";
        };
    }

    /// `accept-queue, on the server; it limits the throughput`.
    static String wall(Judgement.Binds binds) {
        String harm =
                switch (binds.harm()) {
                    case ERRORS -> "it causes errors";
                    case THROUGHPUT -> "it limits the throughput";
                    case LATENCY -> "it makes the latency long";
                    case null -> "its harm is unknown, because no client was seen";
                };
        return "%s, on the %s; %s".formatted(binds.wall().id().word(), binds.end().word(), harm);
    }

    /// `TcpExt.ListenOverflows 0 -> 244, /proc/net/netstat`.
    static String reading(Evidence evidence) {
        StringBuilder text = new StringBuilder(evidence.name());
        if (evidence.after() != null) {
            text.append(' ');
            if (evidence.before() != null) {
                text.append(NumberText.figure(evidence.before())).append(" -> ");
            }
            text.append(NumberText.figure(evidence.after()));
        }
        if (evidence.limit() != null) {
            text.append(", limit ").append(NumberText.figure(evidence.limit()));
        }
        String source = evidence.source();
        return text.append(source.isEmpty() ? "" : ", " + source).toString();
    }

    /// `none in 120 buckets of 240 s`, or the figures that drift.
    static String drift(Drift drift) {
        String found =
                drift.found().stream().map(Drift.Found::line).collect(Collectors.joining("; "));
        return NumberText.format(
                "%s in %d buckets of %.0f s",
                found.isEmpty() ? "none" : found,
                drift.buckets(),
                drift.seconds() / drift.buckets());
    }

    /// `web: 25.0.3 of Eclipse Adoptium, its default archive`; empty without a JVM.
    static String jvms(SandboxFacts facts) {
        List<String> jvms = new ArrayList<>();
        for (SandboxFacts.ServiceFacts service : facts.services()) {
            JvmFacts jvm = service.runtime();
            if (jvm != null) {
                jvms.add(
                        "%s: %s of %s, %s"
                                .formatted(
                                        service.name(),
                                        jvm.version(),
                                        jvm.vendor(),
                                        jvm.archive()));
            }
        }
        return String.join("; ", jvms);
    }

    /// Above a capacity requests have to wait, however many connections there are.
    private static boolean isExpected(Caveat caveat, Trial trial, RunRecord run) {
        return run.capacity() != null
                && Boolean.FALSE.equals(trial.objectiveMet())
                && caveat.is(Doubt.CONNECTIONS_BUSY);
    }

    /// The doubts of all trials by their ids, each once, with the number of trials that it
    /// concerns.
    static SequencedMap<String, String> doubts(RunRecord run) {
        SequencedMap<String, String> doubts = new LinkedHashMap<>();
        Map<String, Integer> trials = new HashMap<>();
        for (Trial trial : run.trials()) {
            for (Caveat caveat : trial.allCaveats()) {
                if (isExpected(caveat, trial, run)) {
                    continue;
                }
                doubts.putIfAbsent(caveat.id(), caveat.advice());
                trials.merge(caveat.id(), 1, Integer::sum);
            }
        }
        doubts.replaceAll((id, advice) -> {
            int more = trials.getOrDefault(id, 1) - 1;
            return more == 0
                    ? advice
                    : "%s (and in %s)"
                            .formatted(
                                    advice, NumberText.plural(more, "more trial", "more trials"));
        });
        return doubts;
    }
}

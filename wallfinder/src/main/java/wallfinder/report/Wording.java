package wallfinder.report;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Collectors;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Drift;
import wallfinder.diagnosis.Evidence;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.observation.Caveat;
import wallfinder.observation.ErrorPhase;
import wallfinder.observation.JvmFacts;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SandboxFacts;
import wallfinder.record.LoadWording;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Applied;
import wallfinder.record.RunRecord.Rung;
import wallfinder.record.RunRecord.Trial;

/// How judgements are worded, the same on the terminal and on the page, and in every locale.
final class Wording {
    /// A service that starts under a load and serves less than this part is another finding.
    private static final double STARTED_SHARE = 0.5;

    private Wording() {}

    /// Good answers a second, without the unit.
    static String rate(LoadOutcome load) {
        return load.countsRequests() ? NumberText.format("%,.1f", load.throughput()) : "unknown";
    }

    /// The rate at a rung: where pairs were measured, their median without the remedy, which rests
    /// on several processes; else that of the climb.
    static String rate(Rung rung, Trial trial) {
        Applied applied = rung.remedy();
        return applied == null || !applied.comparable()
                ? rate(trial.observation().load())
                : NumberText.format("%,.1f", applied.before().perSecond());
    }

    /// What a service does that starts under the load at the wall, if that is another thing; else
    /// empty.
    static String startedUnderLoad(Rung rung) {
        Double started = rung.startedUnderLoad();
        Applied applied = rung.remedy();
        if (started == null || applied == null) {
            return "";
        }
        double warm = applied.before().perSecond();
        return started >= STARTED_SHARE * warm
                ? ""
                : NumberText.format(
                        "a service that starts under this load, without the remedy, serves %,.1f/s and not %,.1f/s: the wall keeps it from warming up",
                        started, warm);
    }

    /// `TLSv1.3, TLS_AES_256_GCM_SHA384; 3 of 12 handshakes resumed; trusted: any certificate`.
    static String tls(LoadOutcome.Tls tls) {
        String spoken = tls.protocol() == null ? "" : tls.protocol() + ", " + tls.cipher() + "; ";
        String failure = tls.failure() == null ? "" : "; first failure: " + tls.failure();
        return "%s%s of %s resumed; trusted: %s%s"
                .formatted(
                        spoken,
                        NumberText.count(tls.resumed()),
                        NumberText.plural(tls.handshakes(), "handshake", "handshakes"),
                        tls.trusted(),
                        failure);
    }

    /// `256 connections in lockstep, one per request, 5.0 s`.
    static String load(LoadOutcome load) {
        String seconds = NumberText.seconds(load.seconds());
        return switch (load) {
            case LoadOutcome.Requests requests ->
                    "%s%s%s, %s"
                            .formatted(
                                    NumberText.plural(
                                            requests.connections(), "connection", "connections"),
                                    loop(requests.loop()),
                                    requests.keepalive() ? ", kept alive" : ", one per request",
                                    seconds);
            case LoadOutcome.Held held -> HoldLines.load(held);
            case LoadOutcome.Command _ -> "a command, " + seconds;
            case LoadOutcome.Unseen _ -> "watched for " + seconds;
        };
    }

    private static String loop(LoadOutcome.Loop loop) {
        return switch (loop) {
            case LoadOutcome.Loop.Closed _ -> "";
            case LoadOutcome.Loop.Lockstep _ -> " in lockstep";
            case LoadOutcome.Loop.Open open -> ", " + LoadWording.asked(open.arrival());
        };
    }

    /// `busy in 43 % of the time, waited 12.0 ms for a CPU, longest pause of its own 3.10 ms`, and
    /// what else held it up.
    static String generator(LoadOutcome.Generator generator, double seconds) {
        LoadOutcome.Stalls stalls = generator.stalls();
        double busy = Math.max(0, 1 - generator.idleShare() - generator.waitingShare());
        double waited = generator.waitingShare() * generator.threads() * seconds * 1e9;
        return NumberText.format(
                        "busy in %.0f %% of the time, waited %s for a CPU, longest pause of its own %s",
                        100 * busy,
                        NumberText.millis(waited),
                        NumberText.millis(stalls.longestNanos()))
                + (stalls.count() == 0
                        ? ""
                        : NumberText.format(
                                " (%s of 1 ms or more, together %s)",
                                NumberText.count(stalls.count()),
                                NumberText.millis(stalls.nanos())))
                + (stalls.collections() == 0
                        ? ""
                        : NumberText.format(
                                ", %s: %s",
                                NumberText.plural(
                                        stalls.collections(),
                                        "garbage collection",
                                        "garbage collections"),
                                NumberText.millis(stalls.collectionNanos())));
    }

    /// `none in 120 buckets of 240 s`, or what drifts.
    static String drift(Drift drift) {
        String told =
                drift.found().stream().map(Drift.Found::line).collect(Collectors.joining("; "));
        return NumberText.format(
                "%s in %d buckets of %.0f s",
                told.isEmpty() ? "none" : told, drift.buckets(), drift.seconds() / drift.buckets());
    }

    /// `web: 25.0.3 of Eclipse Adoptium, its default archive`; empty without any.
    static String jvms(SandboxFacts facts) {
        List<String> told = new ArrayList<>();
        for (SandboxFacts.ServiceFacts service : facts.services()) {
            if (service.runtime() != null) {
                told.add(jvm(service.name(), service.runtime()));
            }
        }
        return String.join("; ", told);
    }

    private static String jvm(String name, JvmFacts jvm) {
        return "%s: %s of %s, %s".formatted(name, jvm.version(), jvm.vendor(), jvm.archive());
    }

    /// `256 in lockstep, 5.0 s`, for a table.
    static String shortLoad(LoadOutcome load) {
        return switch (load) {
            case LoadOutcome.Driven driven ->
                    NumberText.format(
                            "%,d%s, %s",
                            driven.connections(),
                            driven.loop() instanceof LoadOutcome.Loop.Lockstep
                                    ? " in lockstep"
                                    : " connections",
                            NumberText.seconds(driven.seconds()));
            case LoadOutcome.Command _, LoadOutcome.Unseen _ -> load(load);
        };
    }

    /// `none`, or `timeout 3, status-5xx 12`.
    static String errors(LoadOutcome load) {
        if (!load.countsErrors()) {
            return "not told";
        }
        String told = errors(load.errors());
        return told.isEmpty() ? "none" : told;
    }

    /// `before the first byte: closed 3, timeout 2; within an answer: closed 1`, of the errors
    /// whose kind does not tell it; empty if there are none.
    static String phases(LoadOutcome.Driven load) {
        List<String> told = new ArrayList<>();
        phase(told, "before the first byte", load, ErrorPhase.FIRST_BYTE);
        phase(told, "within an answer", load, ErrorPhase.ANSWER);
        return String.join("; ", told);
    }

    private static void phase(
            List<String> told, String words, LoadOutcome.Driven load, ErrorPhase phase) {
        Map<String, Long> errors = load.failures().errorsByPhase().get(phase.word());
        if (errors != null) {
            told.add(words + ": " + errors(errors));
        }
    }

    private static String errors(Map<String, Long> counts) {
        return counts.entrySet().stream()
                .filter(error -> error.getValue() > 0)
                .map(error -> error.getKey() + " " + NumberText.count(error.getValue()))
                .collect(Collectors.joining(", "));
    }

    /// All without a good answer.
    static long errorCount(LoadOutcome load) {
        return load.failed();
    }

    /// `200 3,990, 302 4, 404 10`: redirects are not followed.
    static String statuses(LoadOutcome load) {
        String told = errors(load.answers().statuses());
        return told.isEmpty() ? "none" : told;
    }

    /// The judgement as one sentence.
    static String verdict(Trial trial) {
        Diagnosis diagnosis = trial.diagnosis();
        return switch (diagnosis.verdict()) {
            case NAMED -> wall(headline(diagnosis));
            case INVALID ->
                    "Not valid: the load generator was the wall; the service can do at least this,"
                            + " and how much more is not known";
            case UNNAMED -> "Stopped, by no wall that is known: " + diagnosis.seen();
            case NONE -> noWall(trial.observation().load());
        };
    }

    private static String noWall(LoadOutcome load) {
        return switch (load) {
            case LoadOutcome.Requests _ when load.answered() == 0 && load.networkErrors() == 0 ->
                    "Nothing to judge: no request was answered, and none failed";
            case LoadOutcome.Requests _ when load.answers().mostlyBadAlone() ->
                    "Nothing to judge: one request alone gets a bad answer, too";
            case LoadOutcome.Command _ when !load.countsRequests() ->
                    "No wall was seen; what the load command did is not known";
            case LoadOutcome.Unseen _ -> "No wall: nothing stopped it for most of the time";
            case LoadOutcome.Requests _, LoadOutcome.Held _, LoadOutcome.Command _ ->
                    "No wall: it did not stop at this load";
        };
    }

    /// `accept-queue, on the server; it harms the throughput`.
    static String wall(Judgement.Binds binds) {
        return NumberText.format(
                "%s, on the %s; %s", binds.wall().id().word(), binds.end().word(), harms(binds));
    }

    private static String harms(Judgement.Binds binds) {
        return switch (binds.harm()) {
            case ERRORS -> "it harms the answers (errors)";
            case THROUGHPUT -> "it harms the throughput";
            case LATENCY -> "it harms the latency";
            case null -> "whom it harms was not seen";
        };
    }

    private static Judgement.Binds headline(Diagnosis diagnosis) {
        Judgement.Binds headline = diagnosis.headline();
        if (headline == null) {
            throw new IllegalStateException("a named wall has no judgement");
        }
        return headline;
    }

    /// `TcpExt.ListenOverflows 0 -> 244, /proc/net/netstat`.
    static String reading(Evidence evidence) {
        StringBuilder told = new StringBuilder(evidence.name());
        if (evidence.before() != null && evidence.after() != null) {
            told.append(' ').append(NumberText.figure(evidence.before())).append(" -> ");
            told.append(NumberText.figure(evidence.after()));
        } else if (evidence.after() != null) {
            told.append(' ').append(NumberText.figure(evidence.after()));
        }
        if (evidence.limit() != null) {
            told.append(", limit ").append(NumberText.figure(evidence.limit()));
        }
        String source = evidence.source();
        return told.append(source.isEmpty() ? "" : ", " + source).toString();
    }

    /// `12,345 answers in 8.2 s`.
    static String warmup(RunRecord.Warmup warmup) {
        return NumberText.format("%,d answers in %.1f s", warmup.answers(), warmup.seconds());
    }

    /// What a remedy did, with its interval and what it rests on.
    static String gain(Applied applied) {
        return applied.comparable()
                ? NumberText.format(
                        "%s (95 %% interval, %s; medians %s)",
                        applied.told(),
                        NumberText.plural(applied.throughput().pairs(), "pair", "pairs"),
                        medians(applied))
                : applied.told();
    }

    /// `467.0/s -> 3,567.0/s`.
    static String medians(Applied applied) {
        return NumberText.format(
                "%,.1f/s -> %,.1f/s", applied.before().perSecond(), applied.after().perSecond());
    }

    /// What it did to the tail and to the errors.
    static List<String> besides(Applied applied) {
        List<String> told = new ArrayList<>();
        RatioInterval p99 = applied.p99();
        if (Double.isFinite(p99.ratio()) && p99.ratio() > 0) {
            boolean shorter = p99.ratio() < 1;
            RatioInterval shown = shorter ? p99.inverse() : p99;
            told.add(
                    switch (p99.effect()) {
                        case NONE -> "p99 no effect, " + NumberText.interval(p99);
                        case MORE, LESS ->
                                NumberText.format(
                                        "p99 %.2f times %s, %s",
                                        shown.ratio(),
                                        shorter ? "shorter" : "longer",
                                        NumberText.interval(shown));
                    });
        }
        told.add(
                NumberText.format(
                        "failed requests: %s before, %s after",
                        failed(applied.before()), failed(applied.after())));
        return told;
    }

    /// `12 of 10,000`.
    private static String failed(RunRecord.Side side) {
        return NumberText.format("%,d of %,d", side.errors(), side.requests());
    }

    /// The doubts of all trials by their ids, each once with the number of trials that it concerns.
    static SequencedMap<String, String> doubts(RunRecord run) {
        SequencedMap<String, String> first = new LinkedHashMap<>();
        Map<String, Integer> more = new HashMap<>();
        for (Trial trial : run.trials()) {
            for (Caveat caveat : trial.allCaveats()) {
                if (first.putIfAbsent(caveat.id(), caveat.advice()) != null) {
                    more.merge(caveat.id(), 1, Integer::sum);
                }
            }
        }
        more.forEach((id, times) -> {
            String again =
                    " (and in " + NumberText.plural(times, "more trial", "more trials") + ")";
            first.computeIfPresent(id, (_, advice) -> advice + again);
        });
        return first;
    }
}

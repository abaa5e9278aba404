package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import wallfinder.observation.ErrorPhase;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadPart;
import wallfinder.record.LoadWording;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;

/// A load and its outcome in words, the same on the terminal and on the page, in every locale.
final class LoadText {
    private LoadText() {}

    /// `256 connections in lockstep, one per request, 5.0 s`.
    static String describe(LoadOutcome load) {
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
            case LoadOutcome.Held held -> HoldText.describe(held);
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

    /// `256 in lockstep, 5.0 s`, for a table.
    static String brief(LoadOutcome load) {
        return switch (load) {
            case LoadOutcome.Driven driven ->
                    NumberText.format(
                            "%,d%s, %s",
                            driven.connections(),
                            driven.loop() instanceof LoadOutcome.Loop.Lockstep
                                    ? " in lockstep"
                                    : " connections",
                            NumberText.seconds(driven.seconds()));
            case LoadOutcome.Command _, LoadOutcome.Unseen _ -> describe(load);
        };
    }

    /// One text for each host of several that generated the load.
    static List<String> generators(LoadOutcome load) {
        List<LoadPart> parts =
                load instanceof LoadOutcome.Driven driven ? driven.engine().parts() : List.of();
        return parts.stream().map(LoadText::generator).toList();
    }

    private static String generator(LoadPart part) {
        return NumberText.format(
                "%s: %s, %s answered, began %.3f ms after the planned start (clock compared to"
                        + " within %.3f ms)",
                part.host(),
                NumberText.plural(part.connections(), "connection", "connections"),
                NumberText.count(part.answered()),
                part.startSkewNanos() / 1e6,
                part.clockBoundNanos() / 1e6);
    }

    /// Good answers a second, without the unit.
    static String rate(LoadOutcome load) {
        return load.countsRequests() ? NumberText.format("%,.1f", load.throughput()) : "unknown";
    }

    /// `12,345 answers in 8.2 s`.
    static String warmup(RunRecord.Warmup warmup) {
        return NumberText.format("%,d answers in %.1f s", warmup.answers(), warmup.seconds());
    }

    /// `TLSv1.3, TLS_AES_256_GCM_SHA384 by OpenSSL 3.0.17; 3 of 12 handshakes resumed; trusted: any
    /// certificate`.
    static String tls(LoadOutcome.Tls tls) {
        String protocol =
                tls.protocol() == null
                        ? ""
                        : "%s, %s by %s; ".formatted(tls.protocol(), tls.cipher(), tls.library());
        String failure = tls.failure() == null ? "" : "; first failure: " + tls.failure();
        return "%s%s of %s resumed; trusted: %s%s"
                .formatted(
                        protocol,
                        NumberText.count(tls.resumed()),
                        NumberText.plural(tls.handshakes(), "handshake", "handshakes"),
                        tls.trusted(),
                        failure);
    }

    /// `busy 43 % of the time, waited 12.0 ms for a CPU, longest pause 3.10 ms`, then the long
    /// pauses and the garbage collections.
    static String generator(LoadOutcome.Generator generator, double seconds) {
        LoadOutcome.Stalls stalls = generator.stalls();
        double busy = Math.max(0, 1 - generator.idleShare() - generator.waitingShare());
        double waited = generator.waitingShare() * generator.threads() * seconds * 1e9;
        String text =
                NumberText.format(
                        "busy %.0f %% of the time, waited %s for a CPU, longest pause %s",
                        100 * busy,
                        NumberText.millis(waited),
                        NumberText.millis(stalls.longestNanos()));
        if (stalls.count() > 0) {
            text +=
                    NumberText.format(
                            " (%,d of 1 ms or more, %s in total)",
                            stalls.count(), NumberText.millis(stalls.nanos()));
        }
        if (stalls.collections() > 0) {
            text +=
                    NumberText.format(
                            ", %s: %s",
                            NumberText.plural(
                                    stalls.collections(),
                                    "garbage collection",
                                    "garbage collections"),
                            NumberText.millis(stalls.collectionNanos()));
        }
        return text;
    }

    /// `none`, or `timeout 3, status-5xx 12`.
    static String errors(LoadOutcome load) {
        return load.countsErrors() ? orNone(counts(load.errors())) : "unknown";
    }

    /// `200 3,990, 302 4, 404 10`: redirects are not followed.
    static String statuses(LoadOutcome load) {
        return orNone(counts(load.answers().statuses()));
    }

    /// `before the first byte: closed 3, timeout 2; within an answer: closed 1`: the errors that
    /// can happen in more than one phase. Empty without such errors.
    static String phases(LoadOutcome.Driven load) {
        List<String> phases = new ArrayList<>();
        phase("before the first byte", load, ErrorPhase.FIRST_BYTE, phases);
        phase("within an answer", load, ErrorPhase.ANSWER, phases);
        return String.join("; ", phases);
    }

    private static void phase(
            String words, LoadOutcome.Driven load, ErrorPhase phase, List<String> phases) {
        Map<String, Long> errors = load.failures().errorsByPhase().get(phase.word());
        if (errors != null) {
            phases.add(words + ": " + counts(errors));
        }
    }

    private static String counts(Map<String, Long> counts) {
        return counts.entrySet().stream()
                .filter(count -> count.getValue() > 0)
                .map(count -> count.getKey() + " " + NumberText.count(count.getValue()))
                .collect(Collectors.joining(", "));
    }

    private static String orNone(String counts) {
        return counts.isEmpty() ? "none" : counts;
    }
}

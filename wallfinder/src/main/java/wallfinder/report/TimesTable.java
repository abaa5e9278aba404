package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Loop;
import wallfinder.record.NumberText;

/// The times of a load, as tables on the terminal.
final class TimesTable {
    private static final int TARGETS_SHOWN_MAX = 20;
    private static final int TARGET_LENGTH_MAX = 48;

    private TimesTable() {}

    /// From due and from sent to the answer, the connects, and what else the load measured.
    static void write(LoadOutcome load, PlainText lines) {
        lines.table(of(load), false, true, true, true, true, true, true, true).blank();
    }

    private static List<List<String>> of(LoadOutcome load) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("time", "mean", "p50", "p90", "p99", "p99.9", "p99.99", "max"));
        rows.add(times("response", load.responseNanos()));
        rows.add(times("service", load.times().serviceNanos()));
        if (load.bad() > 0) {
            rows.add(times("bad answers", load.answers().badNanos()));
        }
        rows.add(times("connect", load.times().connectNanos()));
        switch (load) {
            case LoadOutcome.Requests requests -> {
                if (requests.tls() != null) {
                    rows.add(times("handshake", requests.tls().handshakeNanos()));
                }
                times(requests.loop(), rows);
                if (requests.unloadedNanos().getTotalCount() > 0) {
                    rows.add(times("one alone", requests.unloadedNanos()));
                }
            }
            case LoadOutcome.Held held -> {
                rows.add(times("first answer", held.hold().firstAnswerNanos()));
                times(held.loop(), rows);
            }
            case LoadOutcome.Command _, LoadOutcome.Unseen _ -> {}
        }
        return rows;
    }

    private static void times(Loop loop, List<List<String>> rows) {
        switch (loop) {
            case Loop.Closed _ -> {}
            case Loop.Lockstep(Histogram batches) -> rows.add(times("batch", batches));
            case Loop.Open open -> rows.add(times("sent late", open.lateNanos()));
        }
    }

    private static List<String> times(String name, Histogram nanos) {
        boolean any = nanos.getTotalCount() > 0;
        return List.of(
                name,
                any ? NumberText.millis(nanos.getMean()) : "-",
                NumberText.percentile(nanos, 50),
                NumberText.percentile(nanos, 90),
                NumberText.percentile(nanos, 99),
                NumberText.percentile(nanos, 99.9),
                NumberText.percentile(nanos, 99.99),
                any ? NumberText.millis(nanos.getMaxValue()) : "-");
    }

    /// The requests of a mix, each with its figures.
    static void targets(LoadOutcome.Requests load, PlainText lines) {
        if (load.targets().isEmpty()) {
            return;
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("request", "answers", "errors", "p50", "p99"));
        for (LoadOutcome.Target target :
                load.targets().subList(0, Math.min(load.targets().size(), TARGETS_SHOWN_MAX))) {
            long errors = target.errors().values().stream().mapToLong(Long::longValue).sum();
            rows.add(
                    List.of(
                            shortened(target.request()),
                            NumberText.count(target.answered()),
                            NumberText.count(errors),
                            NumberText.percentile(target.responseNanos(), 50),
                            NumberText.percentile(target.responseNanos(), 99)));
        }
        lines.table(rows, false, true, true, true, true);
        int more = load.targets().size() - TARGETS_SHOWN_MAX;
        if (more > 0) {
            lines.add("  ", more + " more are in run.json");
        }
        lines.blank();
    }

    private static String shortened(String request) {
        return request.length() <= TARGET_LENGTH_MAX
                ? request
                : request.substring(0, TARGET_LENGTH_MAX) + "...";
    }
}

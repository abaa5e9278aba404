package wallfinder.services.cxf;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/// The counts of all threads since the beginning of the measurement.
record Totals(List<ThreadTally> threads, long beginNanos) {

    long requests() {
        return sum(ThreadTally::answered);
    }

    long failed() {
        return sum(ThreadTally::failed);
    }

    /// The wall-clock time until the last request has ended, not the sum of the threads' times.
    double seconds() {
        return threads.stream().mapToDouble(tally -> tally.seconds(beginNanos)).max().orElse(0);
    }

    SortedMap<String, Long> errors() {
        SortedMap<String, Long> errors = new TreeMap<>();
        threads.forEach(tally ->
                tally.errors().forEach((kind, count) -> errors.merge(kind, count, Long::sum)));
        return errors;
    }

    /// A line with the totals so far.
    String soFar() {
        return "so far: requests: %d, errors: %d, seconds: %.3f"
                .formatted(requests(), failed(), seconds());
    }

    /// A line for each thread, then the totals. `requests` are complete answers with an expected
    /// status. `requests/s` is the rate of all threads together, by the wall clock.
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < threads.size(); i++) {
            ThreadTally tally = threads.get(i);
            double seconds = tally.seconds(beginNanos);
            lines.add(
                    "thread %d: %d answered, %d failed, %.3f s, %.1f/s"
                            .formatted(
                                    i + 1,
                                    tally.answered(),
                                    tally.failed(),
                                    seconds,
                                    rate(tally.answered(), seconds)));
        }
        lines.add("threads: " + threads.size());
        lines.add("requests: " + requests());
        lines.add("seconds: %.3f".formatted(seconds()));
        lines.add("errors: " + failed());
        for (Map.Entry<String, Long> error : errors().entrySet()) {
            lines.add("  %s: %d".formatted(error.getKey(), error.getValue()));
        }
        lines.add("requests/s: %.1f".formatted(rate(requests(), seconds())));
        lines.add(
                "requests/s of one thread, mean: %.1f"
                        .formatted(rate(requests(), seconds()) / threads.size()));
        lines.add(
                "response: mean %.3f ms, longest %.1f ms"
                        .formatted(
                                requests() == 0 ? 0 : sum(ThreadTally::nanosSum) / 1e6 / requests(),
                                max(ThreadTally::nanosMax) / 1e6));
        return lines;
    }

    private static double rate(long requests, double seconds) {
        return seconds > 0 ? requests / seconds : 0;
    }

    private long sum(ToLongFunction<ThreadTally> figure) {
        return threads.stream().mapToLong(figure).sum();
    }

    private long max(ToLongFunction<ThreadTally> figure) {
        return threads.stream().mapToLong(figure).max().orElse(0);
    }
}

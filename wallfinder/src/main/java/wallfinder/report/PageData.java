package wallfinder.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Key;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;
import wallfinder.record.CitedSeries;
import wallfinder.record.Rounded;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Trial;

/// The data of the page's chart: for each interval between two samples the rate, the response
/// times, and the counters that are evidence. Merges samples if there are too many for one page.
final class PageData {
    private static final int COUNTERS_MAX = 10;

    /// The limit for the whole page, at about six characters for each number.
    private static final int NUMBERS_MAX = 120_000;

    private static final int SAMPLES_MAX = 400;
    private static final int SAMPLES_MIN = 8;

    /// The limit for the columns of all heat maps, at about eighty characters for each.
    private static final int COLUMNS_MAX = 6_000;

    private static final int COLUMNS_OF_TRIAL_MAX = 150;

    /// A shorter last interval, as a part of the first one, makes no rate.
    private static final double WHOLE_MIN = 0.5;

    private final RunRecord run;
    private final List<Counter> counters;
    private final int samples;
    private final int columns;

    PageData(RunRecord run) {
        this.run = run;
        this.counters = counters(run);
        int rows = Math.max(1, run.trials().size() * (3 + counters.size()));
        this.samples = Math.clamp(NUMBERS_MAX / rows, SAMPLES_MIN, SAMPLES_MAX);
        int each = COLUMNS_MAX / Math.max(1, run.trials().size());
        this.columns = Math.clamp(each, SAMPLES_MIN, COLUMNS_OF_TRIAL_MAX);
    }

    Map<String, @Nullable Object> of() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("counters", counters.stream().map(PageData::counter).toList());
        json.put("climb", climb());
        json.put("trials", run.trials().stream().map(this::trial).toList());
        return json;
    }

    /// The trials of the climb, or all trials if the run has no climb.
    private List<Integer> climb() {
        List<Integer> all = IntStream.range(0, run.trials().size()).boxed().toList();
        List<Integer> climb =
                all.stream()
                        .filter(i -> run.trials().get(i).role() == RunRecord.Role.CLIMB)
                        .toList();
        return climb.isEmpty() ? all : climb;
    }

    /// The counters of the ladder come first, because the page is about the ladder.
    private static List<Counter> counters(RunRecord run) {
        return Stream.concat(
                        run.ladder().stream().map(rung -> run.trials().get(rung.trial())),
                        run.trials().stream())
                .flatMap(trial -> CitedSeries.of(trial).stream())
                .map(series -> series.counter())
                .distinct()
                .limit(COUNTERS_MAX)
                .toList();
    }

    private static Map<String, @Nullable Object> counter(Counter counter) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("label", CitedSeries.label(counter));
        json.put("perSecond", counter.kind() == Counter.Kind.CUMULATIVE);
        return json;
    }

    private Map<String, @Nullable Object> trial(Trial trial) {
        Timeline timeline = trial.observation().timeline();
        int[] at = instants(timeline.nanos(), samples);
        double[] seconds = Arrays.stream(at).mapToDouble(i -> timeline.nanos()[i] / 1e9).toArray();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", trial.name());
        json.put("wall", trial.diagnosis().wallId().orElse(null));
        json.put("seconds", Rounded.to(2, trial.observation().load().seconds()));
        json.put("t", numbers(2, Arrays.stream(seconds).skip(1).toArray()));
        double[] requests = growths(timeline, LoadFigure.REQUESTS, at);
        double[] micros = growths(timeline, LoadFigure.RESPONSE_MICROS_SUM, at);
        json.put("rate", numbers(1, quotients(requests, growths(seconds), 1)));
        json.put("latency", numbers(3, quotients(micros, requests, 1e-3)));
        json.put("times", PageTimes.of(timeline, instants(timeline.nanos(), columns)));
        json.put(
                "counters",
                counters.stream().map(counter -> values(timeline, counter, at, seconds)).toList());
        json.put("cited", cited(trial));
        PageEvents events = new PageEvents(timeline, at);
        Map<String, @Nullable Object> failures = new LinkedHashMap<>();
        events.failures(seconds).forEach((kind, rates) -> failures.put(kind, numbers(1, rates)));
        json.put("failures", failures);
        json.put("events", events.marks());
        return json;
    }

    /// The index of the counter that is evidence for this trial's wall, or null.
    private @Nullable Object cited(Trial trial) {
        return CitedSeries.of(trial).stream()
                .map(series -> counters.indexOf(series.counter()))
                .filter(i -> i >= 0)
                .findFirst()
                .orElse(null);
    }

    /// Every n-th sample and the last one. Growth over longer intervals loses nothing. The last
    /// interval may be a sliver of time, in which a few answers would make a huge rate: it becomes
    /// a part of the one before.
    private static int[] instants(long[] nanos, int most) {
        int last = nanos.length - 1;
        int step = Math.max(1, Math.ceilDiv(nanos.length, most));
        long whole = step < last ? nanos[step] - nanos[0] : 0;
        IntStream every =
                IntStream.iterate(0, i -> i < last, i -> i + step)
                        .filter(i -> i == 0 || nanos[last] - nanos[i] >= WHOLE_MIN * whole);
        return last < 0 ? new int[0] : IntStream.concat(every, IntStream.of(last)).toArray();
    }

    private static @Nullable List<@Nullable Object> values(
            Timeline timeline, Counter counter, int[] at, double[] seconds) {
        Series series = timeline.find(counter.key(), counter.end()).orElse(null);
        if (series == null) {
            return null;
        }
        return counter.kind() == Counter.Kind.CUMULATIVE
                ? numbers(3, quotients(growths(picked(series, at)), growths(seconds), 1))
                : numbers(3, largest(series, at));
    }

    private static double[] growths(Timeline timeline, Key key, int[] at) {
        return timeline.find(key, End.CLIENT)
                .map(series -> growths(picked(series, at)))
                .orElseGet(() -> {
                    double[] unknown = new double[Math.max(0, at.length - 1)];
                    Arrays.fill(unknown, Double.NaN);
                    return unknown;
                });
    }

    private static double[] picked(Series series, int[] at) {
        return Arrays.stream(at).mapToDouble(i -> series.values()[i]).toArray();
    }

    private static double[] growths(double[] values) {
        return IntStream.range(1, values.length)
                .mapToDouble(i -> values[i] - values[i - 1])
                .toArray();
    }

    /// The largest of the merged samples, because the peak of a level matters.
    private static double[] largest(Series series, int[] at) {
        return IntStream.range(1, at.length)
                .mapToDouble(i ->
                        Arrays.stream(series.values(), at[i - 1] + 1, at[i] + 1)
                                .filter(value -> !Double.isNaN(value))
                                .max()
                                .orElse(Double.NaN))
                .toArray();
    }

    private static double[] quotients(double[] parts, double[] wholes, double unit) {
        return IntStream.range(0, parts.length)
                .mapToDouble(i -> wholes[i] > 0 ? parts[i] / wholes[i] * unit : Double.NaN)
                .toArray();
    }

    private static List<@Nullable Object> numbers(int decimals, double[] values) {
        List<@Nullable Object> numbers = new ArrayList<>(values.length);
        for (double value : values) {
            numbers.add(Rounded.to(decimals, value));
        }
        return numbers;
    }
}

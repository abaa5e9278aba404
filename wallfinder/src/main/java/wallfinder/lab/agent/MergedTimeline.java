package wallfinder.lab.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import wallfinder.observation.Counter;
import wallfinder.observation.FailureFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.ResponseFigure;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// The samples of several generators on one time axis, that of the one who saw the most. What they
/// counted of the load is added, and so are the events that their kernels counted. Levels of a
/// host, such as its ports in use, are those of the first one: it has the largest part.
final class MergedTimeline {
    /// @param kernel identifies the kernel and the network; agents that share both see the same
    ///   counters
    /// @param timeline at instants of our clock
    record Part(String kernel, Timeline timeline) {}

    private MergedTimeline() {}

    /// @return at instants since the first, and without samples if nobody has any
    static Timeline of(List<Part> parts) {
        List<Part> seen = parts.stream().filter(p -> p.timeline().nanos().length > 1).toList();
        if (seen.isEmpty()) {
            return new Timeline(new long[0], List.of());
        }
        long[] axis = axis(seen);
        List<Series> merged = new ArrayList<>();
        for (Counter counter : counters(seen)) {
            merged.add(merged(counter, seen, axis));
        }
        long start = axis[0];
        return new Timeline(Arrays.stream(axis).map(nano -> nano - start).toArray(), merged);
    }

    /// Those of the first one, and what only others counted of the load, such as slower answers.
    private static Set<Counter> counters(List<Part> parts) {
        Set<Counter> counters = new LinkedHashSet<>();
        parts.getFirst().timeline().series().forEach(series -> counters.add(series.counter()));
        parts.stream()
                .flatMap(part -> part.timeline().series().stream())
                .map(Series::counter)
                .filter(counter -> ofLoad(counter.key()))
                .forEach(counters::add);
        return counters;
    }

    /// The zero of the merged timeline by our clock.
    static long zeroNanos(List<Part> parts) {
        long[] axis = axis(parts);
        return axis.length == 0 ? System.nanoTime() : axis[0];
    }

    private static long[] axis(List<Part> parts) {
        long[] longest = new long[0];
        for (Part part : parts) {
            long[] nanos = part.timeline().nanos();
            longest = nanos.length > longest.length ? nanos : longest;
        }
        return longest;
    }

    private static Series merged(Counter counter, List<Part> parts, long[] axis) {
        boolean ofLoad = ofLoad(counter.key());
        boolean ofKernel =
                counter.key() instanceof KernelCounter && counter.kind() == Counter.Kind.CUMULATIVE;
        double[] sums = new double[axis.length];
        Set<String> kernels = new HashSet<>();
        boolean first = true;
        for (Part part : parts) {
            boolean another = kernels.add(part.kernel());
            if (first || ofLoad || (ofKernel && another)) {
                add(counter, part.timeline(), axis, sums);
            }
            first = false;
        }
        return new Series(counter, sums);
    }

    private static boolean ofLoad(Key key) {
        return key instanceof LoadFigure
                || key.isOf(FailureFigure.COUNT)
                || key.isOf(ResponseFigure.COUNT);
    }

    /// At each instant the latest sample until then, and at the last instant the last one, so that
    /// growth is exact. Before its first sample a generator had counted what it had then.
    private static void add(Counter counter, Timeline timeline, long[] axis, double[] sums) {
        double[] values =
                timeline.find(counter.key(), counter.end())
                        .map(Series::values)
                        .orElse(new double[0]);
        long[] nanos = timeline.nanos();
        for (int i = 0; i < axis.length && values.length > 0; i++) {
            int found = Arrays.binarySearch(nanos, axis[i]);
            int place = found >= 0 ? found : Math.max(0, -found - 2);
            sums[i] += values[i == axis.length - 1 ? values.length - 1 : place];
        }
    }
}

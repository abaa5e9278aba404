package wallfinder.lab.agent;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import wallfinder.experiment.Arrival;
import wallfinder.observation.ExchangeCounts;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadPart;
import wallfinder.observation.Outside;
import wallfinder.observation.Thinned;

/// What several hosts counted of a load that they drove at the same time. Counts are added, and so
/// are the histograms, count by count: their percentiles are those of one histogram of all answers.
///
/// @param loads at least one
record MergedCounts(List<? extends LoadOutcome.Driven> loads) {
    /// @param parts who drove them
    LoadOutcome.Engine engine(List<LoadPart> parts) {
        return new LoadOutcome.Engine(
                loads.getFirst().engine().driver(),
                loads.stream().mapToDouble(l -> l.engine().clientCpuSeconds()).sum(),
                generator(),
                parts);
    }

    double seconds() {
        return loads.stream().mapToDouble(LoadOutcome::seconds).max().orElseThrow();
    }

    ExchangeCounts exchanges() {
        return new ExchangeCounts(
                sum(l -> l.exchanges().sent()),
                sum(l -> l.exchanges().answered()),
                sum(l -> l.exchanges().inFlight()),
                sum(l -> l.exchanges().bytesReceived()),
                sum(l -> l.exchanges().connectionsOpened()),
                loads.stream()
                        .map(LoadOutcome.Driven::outside)
                        .reduce(Outside.NONE, Outside::plus));
    }

    LoadOutcome.Failures failures() {
        return new LoadOutcome.Failures(
                added(loads.stream().map(l -> l.failures().errors())),
                phases(),
                sum(l -> l.failures().failedNanos()));
    }

    LoadOutcome.Times times() {
        return new LoadOutcome.Times(
                histogram(l -> l.times().responseNanos()),
                histogram(l -> l.times().serviceNanos()),
                histogram(l -> l.times().connectNanos()),
                Thinned.merged(loads.stream().map(l -> l.times().thinned()).toList()));
    }

    private long sum(ToLongFunction<LoadOutcome.Driven> count) {
        return loads.stream().mapToLong(count).sum();
    }

    private Histogram histogram(Function<LoadOutcome.Driven, Histogram> which) {
        return histogram(loads.stream().map(which));
    }

    static Histogram histogram(Stream<Histogram> parts) {
        Histogram all = Histograms.empty();
        parts.forEach(all::add);
        return all;
    }

    static SortedMap<String, Long> added(Stream<? extends SortedMap<String, Long>> maps) {
        SortedMap<String, Long> all = new TreeMap<>();
        maps.forEach(map -> map.forEach((name, count) -> all.merge(name, count, Long::sum)));
        return all;
    }

    private SortedMap<String, SortedMap<String, Long>> phases() {
        SortedMap<String, SortedMap<String, Long>> all = new TreeMap<>();
        for (LoadOutcome.Driven load : loads) {
            load.failures()
                    .errorsByPhase()
                    .forEach((phase, errors) ->
                            all.merge(phase, errors, (one, more) -> added(Stream.of(one, more))));
        }
        return all;
    }

    LoadOutcome.Loop loop(Arrival arrival) {
        return switch (arrival) {
            case Arrival.Closed _ -> new LoadOutcome.Loop.Closed();
            case Arrival.Lockstep _ -> throw new IllegalArgumentException("it was not divided");
            case Arrival.Open open ->
                    new LoadOutcome.Loop.Open(
                            open,
                            sum(load -> open(load).waited()),
                            histogram(load -> open(load).lateNanos()),
                            histogram(load -> open(load).gapNanos()));
        };
    }

    private static LoadOutcome.Loop.Open open(LoadOutcome.Driven load) {
        return (LoadOutcome.Loop.Open) load.loop();
    }

    /// Threads weigh alike.
    private LoadOutcome.Generator generator() {
        return new LoadOutcome.Generator(
                (int) sum(l -> l.generator().threads()),
                mean(LoadOutcome.Generator::idleShare),
                mean(LoadOutcome.Generator::waitingShare),
                added(loads.stream().map(l -> new TreeMap<>(l.generator().exhausted()))),
                new LoadOutcome.Stalls(
                        sum(l -> l.generator().stalls().count()),
                        sum(l -> l.generator().stalls().nanos()),
                        loads.stream()
                                .mapToLong(l -> l.generator().stalls().longestNanos())
                                .max()
                                .orElse(0),
                        sum(l -> l.generator().stalls().collections()),
                        sum(l -> l.generator().stalls().collectionNanos())));
    }

    private double mean(ToDoubleFunction<LoadOutcome.Generator> share) {
        double sum = 0;
        long threads = 0;
        for (LoadOutcome.Driven load : loads) {
            sum += load.generator().threads() * share.applyAsDouble(load.generator());
            threads += load.generator().threads();
        }
        return threads == 0 ? 0 : sum / threads;
    }
}

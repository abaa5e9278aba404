package wallfinder.lab.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadPart;
import wallfinder.observation.Thinned;

/// The outcome of a load that several hosts drove at the same time. Counts are added, and so are
/// the histograms, count by count: their percentiles are those of one histogram of all answers.
final class MergedLoad {
    private final List<LoadOutcome.Requests> loads;

    private MergedLoad(List<LoadOutcome.Requests> loads) {
        this.loads = loads;
    }

    /// @param loads at least one
    /// @param parts who drove them
    /// @param connections of all that were asked for
    static LoadOutcome.Requests of(
            List<LoadOutcome.Requests> loads,
            List<LoadPart> parts,
            int connections,
            Arrival arrival) {
        return new MergedLoad(loads).merged(parts, connections, arrival);
    }

    private LoadOutcome.Requests merged(List<LoadPart> parts, int connections, Arrival arrival) {
        LoadOutcome.Requests first = loads.getFirst();
        return new LoadOutcome.Requests(
                new LoadOutcome.Engine(
                        first.engine().driver(),
                        loads.stream().mapToDouble(l -> l.engine().clientCpuSeconds()).sum(),
                        generator(),
                        parts),
                connections,
                first.keepalive(),
                loop(arrival),
                loads.stream().mapToDouble(LoadOutcome.Requests::seconds).max().orElseThrow(),
                new LoadOutcome.Exchanges(
                        sum(l -> l.exchanges().sent()),
                        sum(l -> l.exchanges().answered()),
                        sum(l -> l.exchanges().inFlight()),
                        sum(l -> l.exchanges().bytesReceived()),
                        sum(l -> l.exchanges().connectionsOpened())),
                new LoadOutcome.Failures(
                        counts(l -> l.failures().errors()),
                        phases(),
                        sum(l -> l.failures().failedNanos())),
                new LoadOutcome.Times(
                        histogram(l -> l.times().responseNanos()),
                        histogram(l -> l.times().serviceNanos()),
                        histogram(l -> l.times().connectNanos()),
                        Thinned.merged(loads.stream().map(l -> l.times().thinned()).toList())),
                Histograms.empty(),
                new LoadOutcome.Answers(
                        counts(l -> l.answers().statuses()),
                        counts(l -> l.answers().badStatuses()),
                        histogram(l -> l.answers().badNanos()),
                        0,
                        0),
                sum(LoadOutcome.Requests::redirects),
                sum(LoadOutcome.Requests::repeated),
                tls(),
                targets());
    }

    private long sum(ToLongFunction<LoadOutcome.Requests> count) {
        return loads.stream().mapToLong(count).sum();
    }

    private Histogram histogram(Function<LoadOutcome.Requests, Histogram> which) {
        Histogram all = Histograms.empty();
        loads.forEach(load -> all.add(which.apply(load)));
        return all;
    }

    private SortedMap<String, Long> counts(
            Function<LoadOutcome.Requests, SortedMap<String, Long>> which) {
        return added(loads.stream().map(which));
    }

    private static SortedMap<String, Long> added(Stream<SortedMap<String, Long>> maps) {
        SortedMap<String, Long> all = new TreeMap<>();
        maps.forEach(map -> map.forEach((name, count) -> all.merge(name, count, Long::sum)));
        return all;
    }

    private SortedMap<String, SortedMap<String, Long>> phases() {
        SortedMap<String, SortedMap<String, Long>> all = new TreeMap<>();
        for (LoadOutcome.Requests load : loads) {
            load.failures()
                    .errorsByPhase()
                    .forEach((phase, errors) ->
                            all.merge(phase, errors, (one, more) -> added(Stream.of(one, more))));
        }
        return all;
    }

    private LoadOutcome.Loop loop(Arrival arrival) {
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

    private static LoadOutcome.Loop.Open open(LoadOutcome.Requests load) {
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
        for (LoadOutcome.Requests load : loads) {
            sum += load.generator().threads() * share.applyAsDouble(load.generator());
            threads += load.generator().threads();
        }
        return threads == 0 ? 0 : sum / threads;
    }

    private LoadOutcome.@Nullable Tls tls() {
        List<LoadOutcome.Tls> all =
                loads.stream().map(LoadOutcome.Requests::tls).filter(Objects::nonNull).toList();
        if (all.isEmpty()) {
            return null;
        }
        Histogram connectNanos = Histograms.empty();
        Histogram handshakeNanos = Histograms.empty();
        all.forEach(one -> connectNanos.add(one.connectNanos()));
        all.forEach(one -> handshakeNanos.add(one.handshakeNanos()));
        return new LoadOutcome.Tls(
                first(all, LoadOutcome.Tls::protocol),
                first(all, LoadOutcome.Tls::cipher),
                all.getFirst().library(),
                all.getFirst().trusted(),
                all.stream().mapToLong(LoadOutcome.Tls::handshakes).sum(),
                all.stream().mapToLong(LoadOutcome.Tls::resumed).sum(),
                connectNanos,
                handshakeNanos,
                first(all, LoadOutcome.Tls::failure));
    }

    private static @Nullable String first(
            List<LoadOutcome.Tls> all, Function<LoadOutcome.Tls, @Nullable String> what) {
        return all.stream().map(what).filter(Objects::nonNull).findFirst().orElse(null);
    }

    private List<LoadOutcome.Target> targets() {
        List<LoadOutcome.Target> merged = new ArrayList<>();
        for (int i = 0; i < loads.getFirst().targets().size(); i++) {
            int which = i;
            List<LoadOutcome.Target> same =
                    loads.stream().map(load -> load.targets().get(which)).toList();
            Histogram responseNanos = same.getFirst().responseNanos().copy();
            same.stream().skip(1).forEach(one -> responseNanos.add(one.responseNanos()));
            merged.add(
                    new LoadOutcome.Target(
                            same.getFirst().request(),
                            same.stream().mapToLong(LoadOutcome.Target::answered).sum(),
                            added(same.stream().map(LoadOutcome.Target::errors)),
                            responseNanos,
                            same.getFirst().unloadedNanos()));
        }
        return merged;
    }
}

package wallfinder.lab.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.observation.Answers;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadPart;

/// The outcome of requests that several hosts sent at the same time.
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
        MergedCounts counts = new MergedCounts(loads);
        return new LoadOutcome.Requests(
                counts.engine(parts),
                connections,
                loads.getFirst().keepalive(),
                counts.loop(arrival),
                counts.seconds(),
                counts.exchanges(),
                counts.failures(),
                counts.times(),
                Histograms.empty(),
                new Answers(
                        MergedCounts.added(loads.stream().map(l -> l.answers().statuses())),
                        MergedCounts.added(loads.stream().map(l -> l.answers().badStatuses())),
                        MergedCounts.histogram(loads.stream().map(l -> l.answers().badNanos())),
                        0,
                        0),
                loads.stream().mapToLong(LoadOutcome.Requests::redirects).sum(),
                loads.stream().mapToLong(LoadOutcome.Requests::repeated).sum(),
                tls(),
                targets());
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
                            MergedCounts.added(same.stream().map(LoadOutcome.Target::errors)),
                            responseNanos,
                            same.getFirst().unloadedNanos()));
        }
        return merged;
    }
}

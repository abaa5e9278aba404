package wallfinder.lab.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Fullness;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.HostFacts;
import wallfinder.lab.session.Progress;
import wallfinder.live.Gauge;
import wallfinder.live.Moment;
import wallfinder.live.Planned;
import wallfinder.load.LoadProgress;
import wallfinder.load.RecentResponses;
import wallfinder.observation.Quantile;
import wallfinder.observation.Timeline;
import wallfinder.sampling.Sampler;

/// Shows a running load. If nobody sees it, nothing is counted.
final class ShownLoad {
    private final Progress progress;
    private final LoadProgress counts;
    private final String rate;
    private final @Nullable RecentResponses responses;
    private final long failedBefore;
    private @Nullable Sampler sampler;
    private @Nullable ServerSide server;
    private int serverCpus;
    private long good;
    private long lookedNanos = System.nanoTime();

    /// @param rate the name of the rate of good answers, such as `answers/s`
    ShownLoad(Progress progress, LoadProgress counts, String rate) {
        this.progress = progress;
        this.counts = counts;
        this.rate = rate;
        responses = progress.isShown() ? new RecentResponses(counts) : null;
        failedBefore = failed();
        good = counts.good();
    }

    /// Also shows the limits of both ends.
    ///
    /// @param server who watches the server on its own host, or null
    ShownLoad with(Sampler sampler, int serverCpus, @Nullable ServerSide server) {
        this.sampler = sampler;
        this.serverCpus = serverCpus;
        this.server = server;
        return this;
    }

    /// Shows the interval since the last call.
    void show(String doing, Planned time, Gauge... more) {
        if (responses == null) {
            progress.show(Moment.of(doing, time));
            return;
        }
        List<Gauge> gauges = gauges(responses.look());
        gauges.addAll(List.of(more));
        ServerSide.Now far = server == null ? null : server.now();
        progress.show(
                new Moment(
                        far == null
                                ? doing
                                : "%s from %s to %s".formatted(doing, HostFacts.name(), far.host()),
                        time,
                        gauges,
                        limits(far)));
    }

    private List<Gauge> gauges(Histogram interval) {
        long nowNanos = System.nanoTime();
        long goodNow = counts.good();
        double perSecond = (goodNow - good) / ((nowNanos - lookedNanos) / 1e9);
        good = goodNow;
        lookedNanos = nowNanos;
        List<Gauge> gauges = new ArrayList<>();
        gauges.add(new Gauge(rate, Gauge.Kind.PER_SECOND, perSecond));
        gauges.add(new Gauge("failed", Gauge.Kind.FAILURES, failed() - failedBefore));
        gauges.add(new Gauge("p50", Gauge.Kind.NANOS, Quantile.percentile(interval, 50)));
        gauges.add(new Gauge("p99", Gauge.Kind.NANOS, Quantile.percentile(interval, 99)));
        return gauges;
    }

    /// Exchanges without a good answer.
    private long failed() {
        return counts.errors() + counts.requests() - counts.good();
    }

    private List<Fullness> limits(ServerSide.@Nullable Now far) {
        if (sampler == null) {
            return List.of();
        }
        Timeline near = sampler.recent();
        return far == null
                ? Fullness.of(near, serverCpus)
                : Fullness.of(both(near, far.recent()), far.cpus());
    }

    /// Each of the two is the last second at its end.
    private static Timeline both(Timeline near, Timeline far) {
        return new Timeline(
                near.nanos(),
                Stream.concat(near.series().stream(), far.series().stream()).toList());
    }
}

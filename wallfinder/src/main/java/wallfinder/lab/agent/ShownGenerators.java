package wallfinder.lab.agent;

import java.util.List;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.session.Progress;
import wallfinder.live.Gauge;
import wallfinder.live.Moment;
import wallfinder.live.Planned;
import wallfinder.record.LoadWording;
import wallfinder.record.NumberText;

/// The live view: the rate of all generators together.
final class ShownGenerators {
    private final Team team;
    private final LoadSpec.Http load;
    private final long start;
    private final String doing;
    private final Progress progress;
    private long shownNanos;
    private double good;

    ShownGenerators(Team team, LoadSpec.Http load, long start, Progress progress) {
        this.progress = progress;
        this.team = team;
        this.load = load;
        this.start = start;
        shownNanos = start;
        String text =
                NumberText.plural(load.connections(), "connection", "connections")
                        + " of "
                        + NumberText.plural(team.size(), "generator", "generators");
        doing =
                load.arrival() instanceof Arrival.Open open
                        ? text + ", " + LoadWording.asked(open)
                        : text;
    }

    void show() {
        long now = System.nanoTime();
        if (now - shownNanos < Moment.INTERVAL.toNanos()) {
            return;
        }
        double goodNow = team.sum(RemoteGenerator::goodSoFar);
        double perSecond = (goodNow - good) / ((now - shownNanos) / 1e9);
        shownNanos = now;
        good = goodNow;
        boolean counted = load.requestsMax() != LoadSpec.Http.NO_REQUESTS_MAX;
        progress.show(
                new Moment(
                        doing,
                        counted ? Planned.unknown(start) : Planned.exactly(start, load.duration()),
                        List.of(new Gauge("answers/s", Gauge.Kind.PER_SECOND, perSecond)),
                        List.of()));
    }
}

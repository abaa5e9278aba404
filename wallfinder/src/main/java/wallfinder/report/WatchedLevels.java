package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.Key;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;
import wallfinder.observation.Unit;
import wallfinder.record.NumberText;

/// One line with the most that a watched service used, and the limits of these resources.
final class WatchedLevels {
    private WatchedLevels() {}

    /// `0.35 of 2 CPUs; at most 23 of 1,024 descriptors, 4 threads, 3 of 128 waited at port 8080`.
    static String summary(Observation observation) {
        Timeline timeline = observation.timeline();
        double seconds = observation.load().seconds();
        double cpu =
                timeline.all(ProcessFigure.CPU, End.SERVER)
                        .mapToDouble(Series::growth)
                        .filter(Double::isFinite)
                        .sum();
        List<String> levels = new ArrayList<>();
        for (SandboxFacts.ServiceFacts service : observation.facts().services()) {
            String name = service.name();
            String descriptors = limit(timeline, ProcessFigure.DESCRIPTOR_LIMIT.of(name), " of %s");
            most(timeline, ProcessFigure.DESCRIPTORS.of(name))
                    .ifPresent(most -> levels.add(most + descriptors + " descriptors"));
            most(timeline, ProcessFigure.THREADS.of(name))
                    .ifPresent(most -> levels.add(most + " threads"));
            String memory =
                    limit(timeline, CgroupFigure.MEMORY_LIMIT.of(name), " (its cgroup: %s)");
            most(timeline, ProcessFigure.RSS.of(name)).ifPresent(most -> levels.add(most + memory));
            for (int port : service.listens()) {
                String queue = limit(timeline, ListenFigure.LIMIT.of(port), " of %s");
                most(timeline, ListenFigure.QUEUE.of(port))
                        .ifPresent(most -> levels.add(most + queue + " waited at port " + port));
            }
        }
        return NumberText.format(
                "%.2f of %s; at most %s",
                seconds > 0 ? cpu / seconds : 0,
                NumberText.plural(observation.facts().serverCpus(), "CPU", "CPUs"),
                String.join(", ", levels));
    }

    private static Optional<String> most(Timeline timeline, Key key) {
        double most = timeline.max(key, End.SERVER);
        return Double.isNaN(most) ? Optional.empty() : Optional.of(figure(key, most));
    }

    /// The limit that was in force at the end; empty if there was none.
    private static String limit(Timeline timeline, Key key, String form) {
        double limit = timeline.last(key, End.SERVER);
        return Double.isNaN(limit) ? "" : form.formatted(figure(key, limit));
    }

    private static String figure(Key key, double value) {
        return key.form().unit() == Unit.BYTES ? NumberText.bytes(value) : NumberText.figure(value);
    }
}

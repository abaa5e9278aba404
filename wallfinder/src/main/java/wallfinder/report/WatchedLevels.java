package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import wallfinder.observation.End;
import wallfinder.observation.Names;
import wallfinder.observation.Observation;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// What a service that was watched used at most, of what it may, in one line.
final class WatchedLevels {
    private WatchedLevels() {}

    /// `0.35 of 2 CPUs; at most: 23 of 1,024 descriptors, 4 threads, port 8080: 3 of 128 waited`.
    static String told(Observation observation) {
        Timeline timeline = observation.timeline();
        double seconds = observation.load().seconds();
        double cpu =
                timeline.all("process[", "].cpu", End.SERVER)
                        .mapToDouble(Series::growth)
                        .filter(Double::isFinite)
                        .sum();
        List<String> told = new ArrayList<>();
        for (SandboxFacts.ServiceFacts service : observation.facts().services()) {
            String name = service.name();
            add(
                    told,
                    timeline,
                    Names.process(name, "descriptors"),
                    Names.process(name, "descriptorLimit"),
                    "%s descriptors");
            add(told, timeline, Names.process(name, "threads"), "", "%s threads");
            memory(told, timeline, name);
            for (int port : service.listens()) {
                add(
                        told,
                        timeline,
                        Names.listen(port, "queue"),
                        Names.listen(port, "limit"),
                        "%s waited at port " + port);
            }
        }
        return Wording.format(
                "%.2f of %s; at most %s",
                seconds > 0 ? cpu / seconds : 0,
                Wording.plural(observation.facts().serverCpus(), "CPU", "CPUs"),
                String.join(", ", told));
    }

    private static void add(
            List<String> told, Timeline timeline, String used, String limit, String form) {
        double most = timeline.find(used, End.SERVER).map(Series::max).orElse(Double.NaN);
        double bound = timeline.find(limit, End.SERVER).map(Series::last).orElse(Double.NaN);
        if (!Double.isNaN(most)) {
            String of = Double.isNaN(bound) ? "" : " of " + Wording.figure(bound);
            told.add(form.formatted(Wording.figure(most) + of));
        }
    }

    private static void memory(List<String> told, Timeline timeline, String service) {
        double rss =
                timeline.find(Names.process(service, "rss"), End.SERVER)
                        .map(Series::max)
                        .orElse(Double.NaN);
        double limit =
                timeline.find(Names.cgroup(service, "memoryLimit"), End.SERVER)
                        .map(Series::last)
                        .orElse(Double.NaN);
        if (!Double.isNaN(rss)) {
            String of = Double.isNaN(limit) ? "" : " (its cgroup: " + Wording.bytes(limit) + ")";
            told.add(Wording.bytes(rss) + of);
        }
    }
}

package wallfinder.lab.capacity;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Objective;
import wallfinder.lab.PlantedRun;
import wallfinder.lab.trial.TrialHosts;
import wallfinder.record.CapacityRecord;

/// Compares measured capacities of real servers with those of queueing theory.
final class CapacityBench {
    private static final double ERROR_MAX = 0.03;

    /// With a shorter one the server would keep its CPU busy all the time.
    private static final double SERVICE_SECONDS = 0.01;

    /// The objective is a bound of p90. Ten times as many answers decide as for p99, so trials
    /// differ less: about 98 of 100 simulated searches are within [#ERROR_MAX] then.
    private static final double SLOW_SHARE = 0.1;

    private static final List<Case> CASES =
            List.of(
                    new Case("M/M/4", new Queue(4, SERVICE_SECONDS, false), 40, 15),
                    new Case("M/D/4", new Queue(4, SERVICE_SECONDS, true), 30, 10));

    private CapacityBench() {}

    /// @param seconds of each trial
    private record Case(String name, Queue queue, int boundMillis, int seconds) {
        Objective objective() {
            return Objective.parse("p90 < " + boundMillis + "ms");
        }

        double exact() {
            return queue.capacity(boundMillis / 1e3, SLOW_SHARE);
        }

        String experiment(Path classes) {
            return """
            services:
              queue:
                command: "{jvm}/bin/java -cp %s QueueServer 8080 %d %s %s"
                ready: tcp://{server}:8080
            load: { url: "http://{server}:8080/", connections: 200, warmup: 5s, duration: %ds }
            """
                    .formatted(
                            classes,
                            queue.workers(),
                            queue.serviceSeconds() * 1e3,
                            queue.fixed() ? "fixed" : "random",
                            seconds);
        }
    }

    /// @param arguments how often each queue is measured, and the name of the only one, if any
    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("capacity-");
        int times = Integer.parseInt(arguments[0]);
        String only = arguments.length > 1 ? arguments[1] : "";
        try (PlantedRun run = new PlantedRun(folder)) {
            Path classes = PlantedRun.compiled("QueueServer.java", folder.resolve("classes"));
            int wrong = 0;
            for (Case one : CASES) {
                if (only.isEmpty() || only.equals(one.name())) {
                    wrong += measure(one, times, classes, run);
                }
            }
            System.exit(wrong > 0 ? 1 : 0);
        }
    }

    /// @return how many capacities differ too much
    private static int measure(Case one, int times, Path classes, PlantedRun run) throws Exception {
        Objective objective = one.objective();
        double exact = one.exact();
        System.out.printf(Locale.ROOT, "%s, %s: %.1f/s%n", one.name(), objective.text(), exact);
        int wrong = 0;
        for (int i = 1; i <= times; i++) {
            Experiment experiment = run.experiment(one.experiment(classes));
            Capacity.Result result =
                    Capacity.of(experiment, objective, TrialHosts.here(run.context())).run();
            CapacityRecord found = result.capacity();
            double error = found == null ? Double.NaN : found.ratePerSecond() / exact - 1;
            boolean right = Math.abs(error) <= ERROR_MAX;
            wrong += right ? 0 : 1;
            System.out.printf(
                    Locale.ROOT,
                    "  %d: %.1f/s, %.1f-%.1f (%d pairs, %d trials), %+.1f %%%s%n",
                    i,
                    found == null ? Double.NaN : found.ratePerSecond(),
                    found == null ? Double.NaN : found.low(),
                    found == null ? Double.NaN : found.high(),
                    found == null ? 0 : found.pairs().size(),
                    result.trials().size(),
                    100 * error,
                    right ? "" : " WRONG: " + result.ended());
        }
        return wrong;
    }
}

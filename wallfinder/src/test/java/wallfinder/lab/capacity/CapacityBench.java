package wallfinder.lab.capacity;

import java.nio.file.Files;
import java.nio.file.Path;
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

    /// The response time bends steeply there, so the noise of a trial moves the capacity less.
    private static final int RANDOM_BOUND_MILLIS = 130;

    private static final int FIXED_BOUND_MILLIS = 70;

    private CapacityBench() {}

    /// @param arguments how often each queue is measured, and the name of the only one, if any
    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("capacity-");
        int times = Integer.parseInt(arguments[0]);
        try (PlantedRun run = new PlantedRun(folder)) {
            Path classes = PlantedRun.compiled("QueueServer.java", folder.resolve("classes"));
            String only = arguments.length > 1 ? arguments[1] : "";
            int wrong = 0;
            if (!only.equals("M/D/4")) {
                Queue random = new Queue(4, SERVICE_SECONDS, false);
                wrong += measure("M/M/4", random, RANDOM_BOUND_MILLIS, times, classes, run);
            }
            if (!only.equals("M/M/4")) {
                Queue fixed = new Queue(4, SERVICE_SECONDS, true);
                wrong += measure("M/D/4", fixed, FIXED_BOUND_MILLIS, times, classes, run);
            }
            System.exit(wrong > 0 ? 1 : 0);
        }
    }

    /// @return how many capacities differ too much
    private static int measure(
            String name, Queue queue, int boundMillis, int times, Path classes, PlantedRun run)
            throws Exception {
        Objective objective = Objective.parse("p99 < " + boundMillis + "ms");
        double exact = queue.capacity(boundMillis / 1e3, 0.01);
        System.out.printf(Locale.ROOT, "%s, %s: %.1f/s%n", name, objective.text(), exact);
        int wrong = 0;
        for (int i = 1; i <= times; i++) {
            Experiment experiment = run.experiment(text(queue, classes));
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

    private static String text(Queue queue, Path classes) {
        return """
        services:
          queue:
            command: "{jvm}/bin/java -cp %s QueueServer 8080 %d %s %s"
            ready: tcp://{server}:8080
        load: { url: "http://{server}:8080/", connections: 200, warmup: 5s, duration: 15s }
        """
                .formatted(
                        classes,
                        queue.workers(),
                        queue.serviceSeconds() * 1e3,
                        queue.fixed() ? "fixed" : "random");
    }
}

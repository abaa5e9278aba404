package wallfinder.lab;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import wallfinder.diagnosis.Budget;
import wallfinder.record.RunRecord;

/// A service whose answers spend known times.
///
/// @param services as in an experiment; the first one that listens on 8081 gets the load
/// @param idle the same, but they wait instead of working; empty if no work is known. What they run
///   is the server's own part, which the other services have, too
/// @param alone the known parts of an answer without load, in milliseconds
/// @param loaded the same under the load of this many connections
/// @param explained true if every part of its time can be seen from outside
record KnownBudget(
        String name,
        String services,
        String idle,
        int connections,
        Map<String, Double> alone,
        Map<String, Double> loaded,
        boolean explained) {
    static final String BACKEND = "dependency:127.0.0.1:9090";

    private static final String JAVA =
            "service: { command: \"{jvm}/bin/java -Dsun.net.httpserver.nodelay=true"
                    + " $KnownTimes.java 8081 %s\", jvm: 25, ready: { log: ready } }\n";
    private static final String WEBFLUX =
            "{jvm}/bin/java -jar {home}/services/webflux/target/webflux.jar --port=8081"
                    + " --latency=15ms ";
    private static final String BEHIND =
            "behind: { command: \"python3 $server.py --port 9090 --latency 30\","
                    + " ready: { log: ready } }\n";

    /// A lock lets one answer pass every 20 ms, so 8 connections wait 160 ms for an answer. Four of
    /// them wait for a worker, half of that time. The times are long, because a sleep takes up to a
    /// millisecond longer than asked.
    static final KnownBudget LOCK =
            java("a lock, 4 threads", "4 cpu=10 sleep=10 lock=20", 8)
                    .idle(JAVA.formatted("4 sleep=10 sleep=10 lock=20"))
                    .alone(Map.of("run", 10.0, "sleep", 30.0, "lock", 0.0, "unread", 0.0))
                    .loaded(Map.of("run", 10.0, "sleep", 30.0, "lock", 40.0, "unread", 80.0))
                    .whole();

    /// Four workers each keep the connection that they serve. The other four connections stay in
    /// the accept queue.
    static final KnownBudget WORKERS =
            of("4 workers in Python", python("workers.py --port 8081 --workers 4 --latency 20"), 8)
                    .alone(Map.of("sleep", 20.0, "accept", 0.0))
                    .loaded(Map.of("sleep", 20.0, "accept", 20.0))
                    .whole();

    static final KnownBudget DEPENDENCY =
            of("a dependency, 4 threads", BEHIND + JAVA.formatted("4 ask=9090"), 8)
                    .alone(Map.of(BACKEND, 30.0, "unread", 0.0))
                    .loaded(Map.of(BACKEND, 30.0, "unread", 30.0))
                    .whole();

    /// All that can be known by one measurement each.
    static List<KnownBudget> all(String nginx, String go) {
        return List.of(
                LOCK,
                WORKERS,
                DEPENDENCY,
                java("a CPU, 4 threads", "4 cpu=10", 8)
                        .idle(JAVA.formatted("4 sleep=10"))
                        .alone(Map.of("run", 10.0))
                        .loaded(Map.of("run", 10.0, "runnable", 30.0))
                        .whole(),
                java("virtual threads", "virtual sleep=10", 8)
                        .alone(Map.of("unexplained", 10.0))
                        .loaded(Map.of("unexplained", 10.0)),
                of("virtual threads, a dependency", BEHIND + JAVA.formatted("virtual ask=9090"), 8)
                        .alone(Map.of(BACKEND, 30.0))
                        .loaded(Map.of(BACKEND, 30.0)),
                of("asyncio, a pool of 4", BEHIND + python("front.py 8081 9090 4"), 8)
                        .alone(Map.of(BACKEND, 30.0))
                        .loaded(Map.of(BACKEND, 30.0, "unexplained", 30.0)),
                of("Node.js", command("node $server.js --port 8081 --cpu 10 --latency 30"), 2)
                        .idle(command("node $server.js --port 8081 --latency 40"))
                        .alone(Map.of("run", 10.0, "unexplained", 30.0))
                        .loaded(Map.of("run", 10.0, "unexplained", 30.0)),
                of("Go", command(go + " -port 8081 -cpu 20 -latency 30"), 2)
                        .idle(command(go + " -port 8081 -latency 50"))
                        .alone(Map.of("run", 20.0, "unexplained", 30.0))
                        .loaded(Map.of("run", 20.0, "unexplained", 30.0)),
                of("nginx, a backend", BEHIND + command(nginx), 8)
                        .alone(Map.of(BACKEND, 30.0))
                        .loaded(Map.of(BACKEND, 30.0)),
                of("Netty, blocked for 15 ms", command(WEBFLUX + "--lookup=blocking"), 8)
                        .alone(Map.of("sleep", 15.0))
                        .loaded(Map.of("sleep", 15.0)));
    }

    private static KnownBudget java(String name, String arguments, int connections) {
        return of(name, JAVA.formatted(arguments), connections);
    }

    private static String python(String arguments) {
        return command("python3 $" + arguments);
    }

    private static String command(String command) {
        return "service: { command: \""
                + command
                + "\", jvm: 25, ready: \"tcp://{server}:8081\" }\n";
    }

    private static KnownBudget of(String name, String services, int connections) {
        return new KnownBudget(name, services, "", connections, Map.of(), Map.of(), false);
    }

    private KnownBudget idle(String without) {
        return new KnownBudget(name, services, without, connections, alone, loaded, explained);
    }

    private KnownBudget alone(Map<String, Double> millis) {
        return new KnownBudget(name, services, idle, connections, millis, loaded, explained);
    }

    private KnownBudget loaded(Map<String, Double> millis) {
        return new KnownBudget(name, services, idle, connections, alone, millis, explained);
    }

    private KnownBudget whole() {
        return new KnownBudget(name, services, idle, connections, alone, loaded, true);
    }

    Budget measured(PlantedRun run) throws Exception {
        return measured(run, services);
    }

    Optional<Budget> measuredIdle(PlantedRun run) throws Exception {
        return idle.isEmpty() ? Optional.empty() : Optional.of(measured(run, idle));
    }

    private Budget measured(PlantedRun run, String started) throws Exception {
        RunRecord.Trial trial =
                run.control(
                        """
                        services:
                        %sload:
                          url: http://{server}:8081/users/1
                          connections: %d
                          warmup: 10s
                          duration: 4s
                        """
                                .formatted(started.indent(2), connections),
                        connections);
        Optional<Budget> budget = Budget.of(trial.observation());
        return budget.orElseThrow(() -> new AssertionError(PlantedRun.describe(trial)));
    }
}

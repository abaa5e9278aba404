package wallfinder.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import wallfinder.linux.KernelFile;

/// Kills runs at random moments and checks that nothing is left behind.
final class KillRounds {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final Path LINKS = Path.of("/sys/class/net");
    private static final double MOMENT_MAX = 1.3; // of the time that a whole start takes

    private final Random random;
    private final Path folder;
    private long startNanos;

    KillRounds(long seed, Path folder) {
        this.random = new Random(seed);
        this.folder = folder;
    }

    /// @param arguments the number of rounds, and the seed of the moments
    public static void main(String[] arguments) throws Exception {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 50;
        long seed = arguments.length > 1 ? Long.parseLong(arguments[1]) : System.nanoTime();
        System.out.println(rounds + " rounds, seed " + seed);
        Path folder = Files.createTempDirectory("wallfinder-kill");
        List<String> moments = new KillRounds(seed, folder).run(rounds);
        moments.stream()
                .collect(
                        Collectors.groupingBy(
                                m -> m, java.util.TreeMap::new, Collectors.counting()))
                .forEach((moment, count) -> System.out.println(count + " killed " + moment));
        System.out.println("nothing was left behind");
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(java.util.Comparator.reverseOrder()).forEach(p -> p.toFile().delete());
        }
    }

    /// Kills the first run after its start, to measure the length of a start, and the others at
    /// random moments.
    ///
    /// @return the last step of each run
    List<String> run(int rounds) throws Exception {
        Set<Path> links = links();
        List<String> moments = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            String runId = Sandboxes.runId();
            Path logs = Files.createDirectory(folder.resolve(runId));
            Process process = KilledRun.start(runId, logs);
            try {
                waitForMoment(process, logs, round == 0);
            } finally {
                process.destroyForcibly();
            }
            process.waitFor();
            moments.add(moment(logs));
            assertNothingLeft(runId, logs, links);
        }
        return moments;
    }

    private void waitForMoment(Process process, Path logs, boolean untilItRuns) {
        long start = System.nanoTime();
        if (untilItRuns) {
            assertThat(Wait.until(BOUND, () -> isRunning(logs) || !process.isAlive())).isTrue();
            assertThat(isRunning(logs)).as("it runs: %s", read(logs)).isTrue();
            startNanos = System.nanoTime() - start;
        } else {
            long end = start + (long) (random.nextDouble() * MOMENT_MAX * startNanos);
            while (System.nanoTime() < end) {
                LockSupport.parkNanos(end - System.nanoTime());
            }
        }
    }

    static boolean isRunning(Path logs) {
        return read(logs).contains("running");
    }

    private static List<String> read(Path logs) {
        try {
            return KilledRun.lines(logs);
        } catch (Exception e) {
            return List.of();
        }
    }

    private static String moment(Path logs) {
        List<String> lines = read(logs);
        return lines.isEmpty() ? "before its lock" : "after: " + lines.getLast().split(" ")[0];
    }

    private static void assertNothingLeft(String runId, Path logs, Set<Path> links)
            throws Exception {
        // The kernel kills the services at once.
        Wait.until(BOUND, () -> direct(runId).isEmpty());
        assertThat(direct(runId)).as("services after kill -9").isEmpty();
        Leftovers.sweep(LockFolder.ofThisUser());
        Wait.until(BOUND, () -> LiveProcesses.marked(runId).isEmpty());
        assertThat(LiveProcesses.marked(runId)).as("processes").isEmpty();
        assertThat(cgroups(runId)).as("cgroups").isEmpty();
        assertThat(LockFolder.ofThisUser().resolve(runId + RunLock.SUFFIX)).doesNotExist();
        Set<String> namespaces =
                read(logs).stream()
                        .filter(line -> line.startsWith("namespace "))
                        .map(line -> line.substring("namespace ".length()))
                        .collect(Collectors.toSet());
        Wait.until(BOUND, () -> holders(namespaces).isEmpty());
        assertThat(holders(namespaces)).as("namespaces").isEmpty();
        assertThat(KernelFile.read(Path.of("/proc/self/mountinfo"))).doesNotContain(" nsfs ");
        assertThat(links()).isEqualTo(links);
    }

    private static List<String> direct(String runId) {
        return LiveProcesses.marked(runId).stream()
                .filter(process -> !process.endsWith(KilledRun.GRANDCHILD))
                .toList();
    }

    /// The cgroup folders of a run in all trees.
    static List<Path> cgroups(String runId) throws IOException {
        CgroupMounts mounts = CgroupMounts.ofThisHost();
        List<Path> found = new ArrayList<>();
        Set<Path> trees = new TreeSet<>(mounts.v1().values());
        if (mounts.v2() != null) {
            trees.add(mounts.v2());
        }
        for (Path tree : trees) {
            Path folder = tree.resolve(Cgroup.runFolder(runId));
            if (Files.exists(folder)) {
                found.add(folder);
            }
        }
        return found;
    }

    /// The threads inside any of these namespaces.
    static List<String> holders(Set<String> namespaces) {
        List<String> found = new ArrayList<>();
        for (Path process : children(Path.of("/proc"), "[0-9]*")) {
            for (Path thread : children(process.resolve("task"), "*")) {
                try {
                    Path namespace = Files.readSymbolicLink(thread.resolve("ns/net"));
                    if (namespaces.contains(namespace.toString())) {
                        found.add(thread + " " + LiveProcesses.commandLine(process));
                    }
                } catch (IOException e) {
                    // It has ended.
                }
            }
        }
        return found;
    }

    private static Set<Path> links() {
        return new TreeSet<>(children(LINKS, "*"));
    }

    private static List<Path> children(Path folder, String glob) {
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder, glob)) {
            stream.forEach(children::add);
        } catch (IOException e) {
            return List.of();
        }
        return children;
    }
}

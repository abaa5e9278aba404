package wallfinder.sandbox;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Readiness;
import wallfinder.observation.End;

/// A run to kill. It opens a sandbox, starts two services, one of which has a child, prints each
/// step, and then waits.
final class KilledRun {
    static final String GRANDCHILD = "sleep 2222";

    private KilledRun() {}

    /// @param arguments the run's id and the folder of its logs
    public static void main(String[] arguments) throws Exception {
        RunLock run = RunLock.hold(arguments[0]);
        System.out.println("locked");
        Sandbox sandbox =
                Sandbox.open(Sandboxes.PLAIN, run, Path.of(arguments[1]), Sandboxes.sharedCpus());
        for (End end : List.of(End.SERVER, End.CLIENT)) {
            Path namespace = Path.of("/proc/" + sandbox.holderTid(end) + "/ns/net");
            System.out.println("namespace " + Files.readSymbolicLink(namespace));
        }
        start(sandbox, "direct", "sh -c 'echo up; exec sleep 1111'");
        start(sandbox, "family", "sh -c '" + GRANDCHILD + " & echo up; wait'");
        System.out.println("running");
        new CountDownLatch(1).await();
    }

    private static void start(Sandbox sandbox, String name, String command) {
        Sandboxes.start(
                sandbox,
                Sandboxes.service(
                        name,
                        command,
                        new Limits(64L, 20L, 64L << 20, 0.5, null, null, null),
                        new Readiness.Log("up")));
    }

    /// Starts a run as a child process with its output in a file.
    static Process start(String runId, Path folder) throws Exception {
        return JavaChild.start(
                KilledRun.class, List.of(), output(folder), runId, folder.toString());
    }

    static Path output(Path folder) {
        return folder.resolve("run.out");
    }

    /// The output so far.
    static List<String> lines(Path folder) throws Exception {
        return Files.readAllLines(output(folder));
    }
}

package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Readiness;
import wallfinder.experiment.SandboxSpec;
import wallfinder.experiment.ServiceSpec;

/// Sandboxes and services for tests.
public final class Sandboxes {
    static final SandboxSpec PLAIN = new SandboxSpec(Map.of(), Map.of());

    private Sandboxes() {}

    static CpuPlan sharedCpus() {
        return new CpuPlan(CpuPlan.allowed(), CpuPlan.allowed());
    }

    static String runId() {
        return "test-" + UUID.randomUUID();
    }

    /// The lock of a run on a host where a dead run cannot be swept, because its file is a folder.
    public static RunLock runBesideLeftovers(Path locks) throws IOException {
        LockFolder.make(locks);
        Files.createDirectory(locks.resolve("dead" + RunLock.SUFFIX));
        return RunLock.hold(locks, runId());
    }

    /// Starts a service at the server's end, and waits until it is ready.
    public static Service start(Sandbox sandbox, ServiceSpec spec) {
        Service service = sandbox.begin(spec, Map.of());
        try {
            sandbox.awaitReady(service, spec, Map.of(), () -> false);
            return service;
        } catch (RuntimeException e) {
            service.stop();
            throw e;
        }
    }

    /// The address of the server's end.
    public static String server(Sandbox sandbox) {
        return sandbox.names(Map.of()).get("server");
    }

    static ServiceSpec service(String name, String command, Limits limits, Readiness ready) {
        return service(name, command, limits, ready, ServiceSpec.READY_WITHIN_DEFAULT);
    }

    static ServiceSpec service(
            String name, String command, Limits limits, Readiness ready, Duration readyWithin) {
        return new ServiceSpec(
                name,
                command,
                null,
                Map.of(),
                null,
                null,
                null,
                limits,
                ready,
                readyWithin,
                Map.of());
    }
}

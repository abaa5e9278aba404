package wallfinder.sandbox;

import java.util.Map;
import java.util.UUID;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Readiness;
import wallfinder.experiment.SandboxSpec;
import wallfinder.experiment.ServiceSpec;

/// What the tests of sandboxes ask for.
final class Sandboxes {
    static final SandboxSpec PLAIN = new SandboxSpec(Map.of(), Map.of());

    private Sandboxes() {}

    static String runId() {
        return "test-" + UUID.randomUUID();
    }

    static ServiceSpec service(String name, String command, Limits limits, Readiness ready) {
        return new ServiceSpec(
                name,
                command,
                null,
                Map.of(),
                null,
                limits,
                ready,
                ServiceSpec.READY_WITHIN_DEFAULT,
                Map.of());
    }
}

package wallfinder.lab.trial;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.session.Interruption;
import wallfinder.load.BareConnections;
import wallfinder.load.LoadPlan;
import wallfinder.load.Probe;
import wallfinder.observation.HandshakeCost;

/// Measures what a TLS handshake costs a service whose answers each need one.
final class HandshakeProbe {
    /// If fewer of the answers need a handshake, connections are kept. Whether a handshake resumes
    /// a session may be different under load.
    private static final double HANDSHAKES_EACH_MIN = 0.5;

    /// All three together take less than a second.
    private static final Duration REST = Duration.ofMillis(200);

    private static final Duration CONNECTS_MAX = Duration.ofMillis(100);
    private static final Duration HANDSHAKES_MAX = Duration.ofMillis(500);

    /// As many ports as half of the requests alone use.
    private static final long CONNECTIONS_MAX = 500;

    private HandshakeProbe() {}

    /// @return null if answers alone need no handshake, or the services are hidden
    static @Nullable HandshakeCost of(
            Testbed testbed, LoadSpec.Http http, Probe alone, Interruption interruption) {
        long answers = alone.good() + alone.bad();
        if (answers == 0 || alone.handshakes() < HANDSHAKES_EACH_MIN * answers) {
            return null;
        }
        LoadPlan plan = testbed.plan(http, 1);
        try (ServiceCpu cpu = new ServiceCpu(testbed.serviceReaders())) {
            ServiceCpu.Used start = cpu.read();
            if (Double.isNaN(start.seconds()) || !interruption.pause(REST)) {
                return null;
            }
            ServiceCpu.Used rested = cpu.read();
            BareConnections.Done connects =
                    BareConnections.connect(plan, CONNECTIONS_MAX, CONNECTS_MAX);
            ServiceCpu.Used connected = cpu.read();
            BareConnections.Done handshakes =
                    BareConnections.shake(plan, CONNECTIONS_MAX, HANDSHAKES_MAX);
            ServiceCpu.Used shaken = cpu.read();
            return new HandshakeCost(
                    phase(new BareConnections.Done(0, REST.toNanos() / 1e9), rested.since(start)),
                    phase(connects, connected.since(rested)),
                    phase(handshakes, shaken.since(connected)));
        }
    }

    private static HandshakeCost.Phase phase(BareConnections.Done done, ServiceCpu.Used used) {
        return new HandshakeCost.Phase(
                done.count(), done.seconds(), used.seconds() - used.compilerSeconds());
    }
}

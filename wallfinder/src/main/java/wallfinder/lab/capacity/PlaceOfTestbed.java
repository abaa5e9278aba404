package wallfinder.lab.capacity;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Objective;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.ScalableHttpLoad;
import wallfinder.lab.trial.Testbed;
import wallfinder.lab.trial.WarmUp;
import wallfinder.record.RunRecord;

/// Warm services in a sandbox or on this host.
final class PlaceOfTestbed implements CapacityTrials.Place {
    /// Few connections in a closed loop keep a service busy and stay far from most of its limits.
    private static final int WARM_UP_CONNECTIONS = 4;

    private final Testbed testbed;
    private final ScalableHttpLoad load;
    private final String label;

    /// Warms the services.
    ///
    /// @param label begins the names of the trials
    PlaceOfTestbed(
            Testbed testbed,
            LoadSpec.Http http,
            @Nullable Objective objective,
            RunContext context,
            String label) {
        this.testbed = testbed;
        this.label = label;
        load = new ScalableHttpLoad(testbed, http, objective, context);
        try {
            load.begin(WarmUp.untilWarm(WARM_UP_CONNECTIONS));
        } catch (RuntimeException | Error e) {
            testbed.close();
            throw e;
        }
    }

    @Override
    public double aloneSeconds() {
        return load.aloneSeconds();
    }

    @Override
    public RunRecord.Trial at(double perSecond, long seed, Duration duration, String name) {
        return load.trial(label + name, new Arrival.Poisson(perSecond, seed), duration);
    }

    @Override
    public void check() {
        ServerSide server = testbed.serverSide();
        if (server != null) {
            server.check();
        }
    }

    @Override
    public void close() {
        testbed.close();
    }
}

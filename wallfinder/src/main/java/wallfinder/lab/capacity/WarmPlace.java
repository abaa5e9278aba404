package wallfinder.lab.capacity;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Objective;
import wallfinder.lab.trial.Generator;
import wallfinder.lab.trial.ScalableHttpLoad;
import wallfinder.lab.trial.WarmUp;
import wallfinder.record.RunRecord;

/// Warm services.
final class WarmPlace implements CapacityTrials.Place {
    /// Few connections in a closed loop keep a service busy and stay far from most of its limits.
    private static final int WARM_UP_CONNECTIONS = 4;

    private final ScalableHttpLoad load;
    private final Runnable end;
    private final String label;

    /// Warms the services.
    ///
    /// @param generator makes what drives them
    /// @param end ends what this place has for itself
    /// @param label begins the names of the trials
    WarmPlace(
            Supplier<Generator> generator,
            LoadSpec.Http http,
            @Nullable Objective objective,
            Runnable end,
            String label) {
        this.end = end;
        this.label = label;
        try {
            load = new ScalableHttpLoad(generator.get(), http, objective);
            load.begin(WarmUp.untilWarm(WARM_UP_CONNECTIONS));
        } catch (RuntimeException | Error e) {
            end.run();
            throw e;
        }
    }

    @Override
    public double aloneSeconds() {
        return load.aloneSeconds();
    }

    @Override
    public RunRecord.Trial at(double perSecond, Duration duration, String name) {
        return load.trial(label + name, new Arrival.Poisson(perSecond), duration);
    }

    @Override
    public void check() {
        load.check();
    }

    @Override
    public void close() {
        end.run();
    }
}

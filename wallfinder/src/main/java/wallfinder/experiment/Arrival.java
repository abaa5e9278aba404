package wallfinder.experiment;

import java.time.Duration;
import java.util.List;

/// When requests are sent.
public sealed interface Arrival {
    /// The default seed of a Poisson process. Each run then sends at the same times.
    long SEED_DEFAULT = 1;

    /// Each connection sends its next request as soon as the previous answer has arrived.
    record Closed() implements Arrival {}

    /// All connections send at once. The next batch goes when the last answer of a batch has
    /// arrived.
    record Lockstep() implements Arrival {}

    /// An open loop: requests are due at fixed times, whether or not answers have arrived.
    sealed interface Open extends Arrival {
        /// The same arrival at a multiple of the rate.
        Open times(double factor);
    }

    /// Evenly spaced.
    record Rate(double perSecond) implements Open {
        @Override
        public Rate times(double factor) {
            return new Rate(perSecond * factor);
        }
    }

    /// Independent of each other, like the requests of many users.
    record Poisson(double perSecond, long seed) implements Open {
        @Override
        public Poisson times(double factor) {
            return new Poisson(perSecond * factor, seed);
        }
    }

    /// Rates one after the other. The last one lasts until the load ends.
    record Stages(List<Stage> stages) implements Open {
        public Stages {
            if (stages.isEmpty()) {
                throw new IllegalArgumentException("no stages");
            }
            stages = List.copyOf(stages);
        }

        @Override
        public Stages times(double factor) {
            return new Stages(stages.stream().map(stage -> stage.times(factor)).toList());
        }

        public Duration length() {
            return stages.stream().map(Stage::length).reduce(Duration.ZERO, Duration::plus);
        }
    }

    /// A step, or a ramp if the rate changes on the way.
    ///
    /// @param from requests a second at its start
    /// @param to requests a second at its end
    record Stage(Duration length, double from, double to) {
        Stage times(double factor) {
            return new Stage(length, from * factor, to * factor);
        }
    }
}

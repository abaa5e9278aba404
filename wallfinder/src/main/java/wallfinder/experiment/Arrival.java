package wallfinder.experiment;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/// When requests are sent.
public sealed interface Arrival {
    /// Each connection sends its next request as soon as the previous answer has arrived.
    record Closed() implements Arrival {}

    /// All connections send at once. The next batch goes when the last answer of a batch has
    /// arrived.
    record Lockstep() implements Arrival {}

    /// An open loop: requests are due at fixed times, whether or not answers have arrived.
    sealed interface Open extends Arrival {
        int RATE_MAX = 10_000_000;
        int STAGES_MAX = 1_000;

        /// The same arrival at a multiple of the rate.
        Open times(double factor);

        /// The arrival of one load: what chance decides is decided.
        default Open drawn() {
            return this;
        }
    }

    /// Evenly spaced.
    record Rate(double perSecond) implements Open {
        @Override
        public Rate times(double factor) {
            return new Rate(perSecond * factor);
        }
    }

    /// Independent of each other, like the requests of many users.
    ///
    /// @param seed two loads with the same seed send at the same times; null if each load draws its
    ///   own
    record Poisson(double perSecond, @Nullable Long seed) implements Open {
        /// Each load draws its own seed.
        public Poisson(double perSecond) {
            this(perSecond, null);
        }

        @Override
        public Poisson times(double factor) {
            return new Poisson(perSecond * factor, seed);
        }

        /// The seed is short enough to be copied by hand, and exact in any reader of JSON.
        @Override
        public Poisson drawn() {
            return seed == null
                    ? new Poisson(
                            perSecond, (long) ThreadLocalRandom.current().nextInt(1, 1_000_000_000))
                    : this;
        }

        /// @throws NullPointerException if it is not drawn yet
        public long drawnSeed() {
            return Objects.requireNonNull(seed, "the seed of a load is drawn before it begins");
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

package wallfinder.load;

import java.security.SecureRandom;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/// Returns the same values for the same seed, so that a client makes the same keys and hello again.
final class FixedRandom extends SecureRandom {
    private static final long serialVersionUID = 1;
    private static final RandomGeneratorFactory<RandomGenerator> FACTORY =
            RandomGeneratorFactory.of("L64X128MixRandom");

    private transient RandomGenerator generator = FACTORY.create(0);

    void restart(long seed) {
        generator = FACTORY.create(seed);
    }

    @Override
    public void nextBytes(byte[] bytes) {
        generator.nextBytes(bytes);
    }
}

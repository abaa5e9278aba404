package wallfinder.load;

import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/// Checks a property on many random cases that are the same in each run. A failure reports the seed
/// of its case, so that it can be repeated alone.
final class Seeded {
    private static final RandomGeneratorFactory<RandomGenerator> FACTORY =
            RandomGeneratorFactory.of("L64X128MixRandom");

    private Seeded() {}

    static void cases(int count, Consumer<RandomGenerator> property) {
        cases(1, count, property);
    }

    static void cases(long firstSeed, long count, Consumer<RandomGenerator> property) {
        for (long seed = firstSeed; seed < firstSeed + count; seed++) {
            one(seed, property);
        }
    }

    static void one(long seed, Consumer<RandomGenerator> property) {
        try {
            property.accept(FACTORY.create(seed));
        } catch (AssertionError e) {
            throw new AssertionError("case with seed " + seed + ": " + e.getMessage(), e);
        }
    }
}

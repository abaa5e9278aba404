package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import wallfinder.observation.Counter;
import wallfinder.observation.Reader;

/// The values of a reader by name.
final class Readings {
    private static final long WAIT_NANOS_MAX = 20_000_000_000L;

    private Readings() {}

    /// Reads into the middle of an array, as the sampler does.
    static Map<String, Double> of(Reader reader) {
        List<Counter> counters = reader.counters();
        double[] values = new double[counters.size() + 2];
        values[0] = -7;
        values[values.length - 1] = -7;
        reader.read(values, 1);
        assertThat(values[0]).isEqualTo(-7);
        assertThat(values[values.length - 1]).isEqualTo(-7);
        Map<String, Double> byName = new LinkedHashMap<>();
        for (int i = 0; i < counters.size(); i++) {
            assertThat(byName.put(counters.get(i).name(), values[i + 1]))
                    .as(counters.get(i).name() + " twice")
                    .isNull();
        }
        return byName;
    }

    /// Makes a complete reading, even right after another one.
    static Map<String, Double> inFull(Reader reader) {
        ((Paced) reader).readInFullNext();
        return of(reader);
    }

    static void waitFor(String fact, BooleanSupplier holds) {
        long end = System.nanoTime() + WAIT_NANOS_MAX;
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited too long for: " + fact).isLessThan(end);
            Thread.onSpinWait();
        }
    }
}

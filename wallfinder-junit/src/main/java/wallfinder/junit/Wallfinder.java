package wallfinder.junit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// Measures a service. A method of a test gets it as a parameter, see [LoadTest].
///
/// ```java
/// LoadResult result =
///         wallfinder.load("http://localhost:" + port + "/")
///                 .rate(500)
///                 .duration(Duration.ofSeconds(5))
///                 .objective("p99 < 50ms, errors < 1%")
///                 .run();
/// ```
///
/// Each method begins a [Measurement], whose `run` starts the program `wallfinder` and waits for
/// its result. One run measures at a time: a second one, in this test or in another process of this
/// user, waits for the first.
public final class Wallfinder {
    private static final Duration LOAD_MAX = Duration.ofMinutes(3);
    private static final Duration FIND_MAX = Duration.ofMinutes(30);
    private static final Duration CAPACITY_MAX = Duration.ofMinutes(30);

    private final Measurements measurements;

    Wallfinder(Measurements measurements) {
        this.measurements = measurements;
    }

    /// One load on a running service. Without `connections`, `rate` and `duration` it uses 10
    /// connections in a closed loop for 10 s.
    public Measurement<LoadResult> load(String url) {
        return measurement("load", url, RunJson::load, LOAD_MAX);
    }

    /// Raises the load on a running service to its first wall.
    public Measurement<FindResult> find(String url) {
        return measurement("find", url, RunJson::find, FIND_MAX);
    }

    /// Starts the services of an experiment, raises the load from wall to wall, and proves what
    /// moves each. This takes minutes.
    public Measurement<FindResult> find(Path experiment) {
        return find(experiment.toAbsolutePath().toString());
    }

    /// Finds the highest rate at which a running service holds an objective, which has to be given
    /// by [Measurement#objective]. This takes minutes.
    public Measurement<CapacityResult> capacity(String url) {
        return measurement("capacity", url, RunJson::capacity, CAPACITY_MAX);
    }

    /// Finds the highest rate at which the services of an experiment hold its objective, or that of
    /// [Measurement#objective].
    public Measurement<CapacityResult> capacity(Path experiment) {
        return capacity(experiment.toAbsolutePath().toString());
    }

    /// Writes an experiment to the test's output folder, so that a test can describe the services
    /// that it starts in a text block.
    ///
    /// @param yaml the text of an experiment file
    /// @return the file, for [#find(Path)] and [#capacity(Path)]
    public Path experiment(String yaml) {
        Path file = measurements.unused("experiment", ".yaml");
        try {
            return Files.writeString(file, yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private <R extends Result> Measurement<R> measurement(
            String command, String subject, Measurement.Reading<R> reading, Duration timeMax) {
        return new Measurement<>(
                measurements,
                List.of(command, subject),
                reading,
                timeMax,
                measurements.whenInvalid());
    }
}

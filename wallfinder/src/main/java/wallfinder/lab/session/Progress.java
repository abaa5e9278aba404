package wallfinder.lab.session;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import wallfinder.live.Moment;
import wallfinder.live.Step;

/// Where the lab reports what it is doing. Results do not go here.
public interface Progress {
    /// Prints a line that stays.
    void say(String line);

    /// Whether somebody sees the live view. If not, nobody has to prepare what it shows.
    default boolean isShown() {
        return false;
    }

    /// Shows the part of the run to which the next moments belong; null if there is none.
    default void step(@Nullable Step step) {}

    /// The report of the run is there.
    default void finished(Path report) {}

    /// Shows what happens now. It replaces the moment before.
    default void show(Moment moment) {}
}

package wallfinder.experiment;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// An option of a service, or of a load command, that a remedy may turn. The program is restarted
/// with the new value.
///
/// @param value the first value
/// @param moves the wall that this knob moves
/// @param max the largest useful value, or null if there is none
/// @param to other values to try, in this order; empty for a number that is raised
public record Knob(String value, WallId moves, @Nullable Long max, List<String> to) {
    public Knob {
        to = List.copyOf(to);
    }
}

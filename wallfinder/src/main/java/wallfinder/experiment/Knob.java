package wallfinder.experiment;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Something of a service, or of a load's command, that a remedy may turn; the program is started
/// anew with the new value.
///
/// @param value the value to start with, as it stands in the program's command
/// @param moves the wall that turning this knob moves
/// @param max the largest value that makes sense, or null if there is none
/// @param to the other values to try, the first one first; empty for a number that is raised
public record Knob(String value, WallId moves, @Nullable Long max, List<String> to) {
    public Knob {
        to = List.copyOf(to);
    }
}

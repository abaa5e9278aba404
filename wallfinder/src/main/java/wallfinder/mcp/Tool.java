package wallfinder.mcp;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/// A command that the caller may run.
///
/// @param name the command's
/// @param changesNothing whether it sends nothing and starts no program of others
/// @param maker makes the command line from checked arguments
record Tool(
        String name,
        String title,
        String description,
        boolean changesNothing,
        List<Parameter> parameters,
        List<String> required,
        Maker maker) {

    /// What to run.
    ///
    /// @param words the command line without the program
    /// @param json whether the command writes a JSON file
    /// @param measures whether another load at the same time would disturb it
    /// @param limit after this time it is interrupted
    record Plan(List<String> words, boolean json, boolean measures, Duration limit) {}

    interface Maker {
        Plan plan(Arguments arguments);
    }

    /// @throws wallfinder.experiment.UsageException if the arguments are wrong or not allowed
    Plan plan(Map<String, Object> arguments) {
        return maker.plan(Arguments.of(arguments, parameters, required));
    }

    Map<String, Object> schema() {
        return Parameter.schema(parameters, required);
    }
}

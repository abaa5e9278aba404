package wallfinder.mcp;

import java.time.Duration;
import java.util.Set;

/// What the operator of the server allows. The caller is a language model, which nobody may watch.
///
/// @param hosts hosts that may get any load, in lower case
/// @param trust whether tools may start the programs of an experiment
/// @param connectionsMax the connections of one load
/// @param rateMax the requests a second of one load with a rate
/// @param durationMax how long one load or one watch may measure
/// @param searchMax how long one search may take as a whole
public record Permissions(
        Set<String> hosts,
        boolean trust,
        int connectionsMax,
        int rateMax,
        Duration durationMax,
        Duration searchMax) {}

package wallfinder.experiment;

import java.util.List;

/// What a list of targets asks for.
///
/// @param url the one whose scheme, host and port they share
public record Targets(String url, List<RequestSpec> requests) {
    public Targets {
        requests = List.copyOf(requests);
    }
}

package wallfinder.experiment;

import java.util.List;

/// @param url all requests share its scheme, host and port
public record Targets(String url, List<RequestSpec> requests) {
    public Targets {
        requests = List.copyOf(requests);
    }
}

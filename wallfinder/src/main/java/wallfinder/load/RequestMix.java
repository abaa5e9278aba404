package wallfinder.load;

import java.util.List;
import wallfinder.experiment.RequestSpec;

/// The requests of a load and their shares.
///
/// @param host value of the Host header for requests without their own
/// @param requests at least one
/// @param cookies whether each connection keeps the cookies of the server
/// @param variables continue where the load before stopped
public record RequestMix(
        String host, List<RequestSpec> requests, boolean cookies, Variables variables) {
    public RequestMix {
        requests = List.copyOf(requests);
        if (requests.isEmpty()) {
            throw new IllegalArgumentException("a load needs a request");
        }
    }

    /// The same mix with only one request.
    RequestMix of(RequestSpec request) {
        return new RequestMix(host, List.of(request), cookies, variables);
    }

    /// The same requests with equal weights, so that rare ones are sent, too. Returns this mix if
    /// it has more requests than can be counted separately.
    RequestMix withEqualWeights() {
        return requests.size() > TargetTally.TARGETS_MAX
                ? this
                : new RequestMix(
                        host,
                        requests.stream().map(request -> request.weighing(1)).toList(),
                        cookies,
                        variables);
    }

    boolean anyBody() {
        return requests.stream().anyMatch(request -> request.body() != null);
    }
}

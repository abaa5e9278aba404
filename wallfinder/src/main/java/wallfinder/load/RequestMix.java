package wallfinder.load;

import java.util.List;
import wallfinder.experiment.RequestSpec;

/// What is asked, and how often each.
///
/// @param host the value of the Host header, where a request has none itself
/// @param requests at least one
/// @param cookies whether each connection keeps what the server sets
/// @param variables go on where the load before left them
public record RequestMix(
        String host, List<RequestSpec> requests, boolean cookies, Variables variables) {
    public RequestMix {
        requests = List.copyOf(requests);
        if (requests.isEmpty()) {
            throw new IllegalArgumentException("nothing is asked");
        }
    }

    /// The same with one request alone.
    RequestMix of(RequestSpec request) {
        return new RequestMix(host, List.of(request), cookies, variables);
    }

    /// The same requests, none more often than another: a rare one is asked for, too. Of more than
    /// can be told apart, all stay as they are.
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

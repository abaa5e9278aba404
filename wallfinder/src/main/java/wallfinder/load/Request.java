package wallfinder.load;

import java.util.Map;

/// One kind of request.
///
/// @param host the value of the Host header, unless the headers have one
/// @param body empty: none
@SuppressWarnings("ArrayRecordComponent") // read-only by convention
public record Request(
        String method, String pathAndQuery, String host, Map<String, String> headers, byte[] body) {

    public Request {
        headers = Map.copyOf(headers);
    }
}

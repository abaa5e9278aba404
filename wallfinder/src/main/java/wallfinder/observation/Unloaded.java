package wallfinder.observation;

import org.jspecify.annotations.Nullable;

/// What was read of the services while requests were sent one at a time.
///
/// @param answers how many there were in that time
/// @param handshake what a full TLS handshake costs; null if answers alone needed none
public record Unloaded(long answers, Timeline timeline, @Nullable HandshakeCost handshake) {}

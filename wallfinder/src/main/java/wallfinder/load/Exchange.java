package wallfinder.load;

import org.jspecify.annotations.Nullable;

/// The state of one connection and the exchange on it. Made once per slot, never on the hot path.
final class Exchange {
    /// The state of a slot, see [Exchanges].
    enum State {
        VACANT,
        OPENING,
        CONNECTING,
        ANSWERING,
        READY,
        CLOSING,
        BACKING_OFF
    }

    final int slot;
    final ResponseParser parser = new ResponseParser();
    State state = State.VACANT;

    /// This connection has not had an answer yet.
    boolean first;

    /// The server reset the connection while the request was being sent.
    boolean reset;

    /// How many exchanges failed in a row.
    int failures;

    /// The request in native memory.
    long requestAddress;

    int requestLength;

    /// The index of the request in the load.
    int target;

    /// The body if it is sent separately, see [Uploads].
    long bodyAddress;

    /// Zero if the request has no separate body.
    long bodyLength;

    /// The body waits until the server asks for it.
    boolean expects;

    boolean awaitsContinue;
    long continueNanos;

    /// The engine has a part that it has not sent yet.
    boolean sendingPart;

    long unsentAddress;
    long unsentBytes;

    /// Null if the load keeps no cookies.
    final @Nullable Cookies cookies;

    /// A HEAD request: the answer has no body, whatever its headers say.
    boolean head;

    long dueNanos;
    long connectNanos;

    long sentNanos;

    /// When the state has lasted too long. Only [Exchanges] sets it, through [Deadlines].
    long deadlineNanos;

    /// When the whole exchange has lasted too long.
    long wholeDeadlineNanos;

    /// @param body what the bodies of answers must contain, or null
    Exchange(int slot, boolean keepsCookies, @Nullable BodyText body) {
        this.slot = slot;
        cookies = keepsCookies ? new Cookies() : null;
        parser.expect(body);
        parser.keep(cookies);
    }
}

package wallfinder.load;

import org.jspecify.annotations.Nullable;

/// What is known of one connection and the exchange on it. Made once a slot, never on the hot path.
final class Exchange {
    /// Where a slot stands, see [Exchanges].
    enum State {
        VACANT,
        OPENING,
        CONNECTING,
        ANSWERING,
        READY,
        PARTING,
        BACKING_OFF
    }

    final int slot;
    final ResponseParser parser = new ResponseParser();
    State state = State.VACANT;

    /// No answer has come over this connection yet.
    boolean first;

    /// The server reset the connection while the request was being sent.
    boolean reset;

    /// Exchanges that failed one after the other.
    int failures;

    /// What it sends, in native memory.
    long requestAddress;

    int requestLength;

    /// Which of the load's requests it is.
    int target;

    /// What follows the request, if that is not all of it: see [Uploads].
    long bodyAddress;

    /// Zero: the request is all there is.
    long bodyLength;

    /// The body waits until the server asks for it.
    boolean expects;

    boolean awaitsContinue;
    long continueNanos;

    /// A part was given to the engine and is not yet on its way.
    boolean sendingPart;

    long unsentAddress;
    long unsentBytes;

    /// Null if none are kept.
    final @Nullable Cookies cookies;

    /// The answer has no body, whatever its headers say: that to HEAD.
    boolean head;

    long dueNanos;
    long connectNanos;

    long sentNanos;

    /// When the state has lasted too long. Set by [Exchanges] alone, which notes the soonest.
    long deadlineNanos;

    /// When the whole exchange has.
    long wholeDeadlineNanos;

    /// @param body what its answers' bodies must contain, or null
    Exchange(int slot, boolean keepsCookies, @Nullable BodyText body) {
        this.slot = slot;
        cookies = keepsCookies ? new Cookies() : null;
        parser.expect(body);
        parser.keep(cookies);
    }
}

package wallfinder.load;

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

    /// The answer has no body, whatever its headers say: that to HEAD.
    boolean head;

    long dueNanos;
    long connectNanos;

    /// When the socket was connected and its handshake began; zero if there is none under way.
    long standsNanos;

    long sentNanos;

    /// When the state has lasted too long.
    long deadlineNanos;

    Exchange(int slot) {
        this.slot = slot;
    }
}

package wallfinder.services.echo;

/// The protocol of all modes: the server sends back each message, and reads no more before it has
/// sent it.
final class Protocol {
    /// The connection is over.
    static final int ENDED = -1;

    private Protocol() {}

    /// Reads a message and answers it.
    ///
    /// @return how many of its bytes are not sent yet, or [#ENDED]
    static int exchange(Wire wire, Tally tally) {
        int taken = wire.take();
        if (taken <= 0) {
            return taken;
        }
        tally.received();
        return answer(wire, 0, taken, tally);
    }

    /// Sends the rest of an answer.
    ///
    /// @return how many bytes are still not sent, or [#ENDED]
    static int answer(Wire wire, int from, int to, Tally tally) {
        int sent = wire.give(from, to);
        if (sent == to - from) {
            tally.answered();
            return 0;
        }
        if (sent < 0) {
            tally.abandoned();
            return ENDED;
        }
        return to - from - sent;
    }
}

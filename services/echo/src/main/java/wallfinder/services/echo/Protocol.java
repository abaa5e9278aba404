package wallfinder.services.echo;

/// What every mode of the server does with a connection: it sends back what it takes, and takes no
/// more before that is sent.
final class Protocol {
    /// The connection is over.
    static final int ENDED = -1;

    private Protocol() {}

    /// Takes a message and answers it.
    ///
    /// @return how many of its bytes could not be sent yet, or [#ENDED]
    static int exchange(Wire wire, Tally tally) {
        int taken = wire.take();
        if (taken <= 0) {
            return taken;
        }
        tally.received();
        return answer(wire, 0, taken, tally);
    }

    /// Sends what is left of an answer.
    ///
    /// @return how many bytes are left then, or [#ENDED]
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

package wallfinder.observation;

/// How far an exchange had come when it failed, as it is named in `run.json`.
public enum ErrorPhase {
    /// In an open loop: no connection was free for it.
    WAITING("waiting"),
    CONNECT("connect"),
    /// From the connection, or on a kept one from the sending, to the first byte of the answer.
    FIRST_BYTE("first-byte"),
    /// In the middle of an answer.
    ANSWER("answer"),
    /// Held connections: nothing was under way.
    RESTING("resting");

    private final String word;

    ErrorPhase(String word) {
        this.word = word;
    }

    /// The key in `run.json`.
    public String word() {
        return word;
    }
}

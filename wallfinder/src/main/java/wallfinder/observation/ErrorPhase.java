package wallfinder.observation;

import java.util.Locale;

/// The phase in which an exchange failed, with the same names as in `run.json`.
public enum ErrorPhase {
    /// Open loop: the request waited for a free connection.
    WAITING,
    CONNECT,
    /// From the connect, or from sending on a kept connection, to the first byte of the answer.
    FIRST_BYTE,
    /// After the first byte of the answer.
    ANSWER,
    /// Between the messages of a held connection.
    RESTING;

    private final String word = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /// The key in `run.json`.
    public String word() {
        return word;
    }
}

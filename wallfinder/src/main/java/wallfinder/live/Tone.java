package wallfinder.live;

/// How a part of a line looks. The terminal chooses the colour.
public enum Tone {
    PLAIN,
    STRONG,
    FAINT,
    GOOD,
    NEAR,
    BAD,

    /// The selected line.
    CHOSEN
}

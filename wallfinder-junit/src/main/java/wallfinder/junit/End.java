package wallfinder.junit;

/// Where a wall is.
public enum End {
    SERVER,
    CLIENT,
    /// Between the two.
    PATH
}

package wallfinder.synthetic;

/// Where packets go.
@FunctionalInterface
public interface Wire {
    /// Takes an IP packet, or loses it.
    ///
    /// @param address of memory that is reused after the call
    void send(long address, int length);
}

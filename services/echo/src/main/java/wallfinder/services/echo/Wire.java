package wallfinder.services.echo;

/// A connection's bytes, as the protocol sees them: what was taken last lies in a buffer. How a
/// connection ends makes no difference: the other end may go as it likes.
interface Wire {
    /// Takes what has come, as far as there is room for it.
    ///
    /// @return how many bytes; 0 if nothing is there yet, -1 at the end
    int take();

    /// Sends those bytes of the buffer.
    ///
    /// @return how many went; -1 at the end
    int give(int from, int to);
}

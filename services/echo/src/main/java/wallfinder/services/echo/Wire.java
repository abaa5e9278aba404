package wallfinder.services.echo;

/// The bytes of a connection, as the protocol sees them. The bytes that were read last are in a
/// buffer. It does not matter how the other end closes the connection.
interface Wire {
    /// Reads the bytes that have arrived, up to the size of the buffer.
    ///
    /// @return the number of bytes; 0 if there are none yet, -1 at the end
    int take();

    /// Sends these bytes of the buffer.
    ///
    /// @return the number of bytes sent; -1 at the end
    int give(int from, int to);
}

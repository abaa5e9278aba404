package wallfinder.load;

/// The sockets of one thread, one slot per connection. The engine reports to the [Events] given to
/// [#poll], and they call the other methods in turn. None of this allocates.
///
/// Bytes are given by address and length. They must not change until they are sent: until the peer
/// has answered, or the slot is disconnected.
sealed interface Engine extends AutoCloseable permits UringEngine, EpollEngine, TlsEngine {
    /// Opens a connection and sends some bytes once it is established. [Events#connected] or
    /// [Events#failed] reports the result.
    ///
    /// @param length zero opens the connection and sends nothing
    /// @return zero, or minus the errno if it failed at once
    int connect(int slot, long address, int length);

    /// Sends bytes on an open connection. All earlier bytes have been answered.
    ///
    /// @return zero, or minus the errno if it failed at once
    int send(int slot, long address, int length);

    /// Sends a part of a request after [Events#partSent] has reported the part before.
    ///
    /// @param more whether the next part follows at once, so that both may share a packet
    /// @return zero, or minus the errno if it failed at once
    int sendPart(int slot, long address, int length, boolean more);

    /// Whether the socket is connected and its TLS handshake is not complete.
    default boolean handshaking(int slot) {
        return false;
    }

    /// Closes the connection of a slot. No more events follow.
    void disconnect(int slot);

    /// Waits until something happens or the time has passed, and reports all that has happened.
    void poll(Events events, long nanosMax);

    @Override
    void close();
}

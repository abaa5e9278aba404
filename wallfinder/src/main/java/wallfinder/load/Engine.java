package wallfinder.load;

/// The input and output of one thread: sockets by slot, one slot a connection. What happens on them
/// is told to the [Events] that are given to [#poll], and what they decide comes back by the other
/// methods. None of this allocates.
///
/// Bytes are given by address and length and have to stay as they are until they are sent: until
/// the peer answers them, or the slot is disconnected.
sealed interface Engine extends AutoCloseable permits UringEngine, EpollEngine, TlsEngine {
    /// Opens a connection and sends some bytes on it as soon as it stands, which is told by
    /// [Events#connected] or [Events#failed].
    ///
    /// @param length zero opens the connection and sends nothing
    /// @return zero, or minus the errno if it failed at once
    int connect(int slot, long address, int length);

    /// Sends bytes on an open connection, after all that were to be sent before have been answered.
    ///
    /// @return zero, or minus the errno if it failed at once
    int send(int slot, long address, int length);

    /// Sends a part of a request, when the part before is on its way, which [Events#partSent]
    /// tells.
    ///
    /// @param more whether the next part follows at once, so that the two may share a packet
    /// @return zero, or minus the errno if it failed at once
    int sendPart(int slot, long address, int length, boolean more);

    /// Whether the slot's socket is connected, and the connection waits for a TLS handshake.
    default boolean shaking(int slot) {
        return false;
    }

    /// Closes a slot's connection. Nothing more is told of it.
    void disconnect(int slot);

    /// Waits until something happens or some time has passed, and tells all that has happened.
    void poll(Events events, long nanosMax);

    @Override
    void close();
}

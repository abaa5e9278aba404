package wallfinder.load;

/// The input and output of one thread: sockets by slot, one slot a connection. What happens on them
/// is told to the [Exchanges] that are given to [#poll], and what they decide comes back by the
/// other methods. None of this allocates.
sealed interface Engine extends AutoCloseable permits UringEngine, EpollEngine {
    /// Opens a connection and sends the request on it as soon as it stands, which is told by
    /// [Exchanges#connected] or [Exchanges#failed].
    ///
    /// @return zero, or minus the errno if it failed at once
    int connect(int slot);

    /// Opens a connection and sends nothing on it, which is told by [Exchanges#opened] or
    /// [Exchanges#failed].
    ///
    /// @return zero, or minus the errno if it failed at once
    int open(int slot);

    /// Sends the request on an open connection.
    ///
    /// @return zero, or minus the errno if it failed at once
    int send(int slot);

    /// Closes a slot's connection. Nothing more is told of it.
    void disconnect(int slot);

    /// Waits until something happens or some time has passed, and tells all that has happened.
    void poll(Exchanges exchanges, long nanosMax);

    @Override
    void close();
}

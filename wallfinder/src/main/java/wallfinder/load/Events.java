package wallfinder.load;

/// What an [Engine] tells of its connections.
sealed interface Events permits Exchanges {
    /// The time from here on.
    void now(long nanos);

    /// The connection stands, and what was to be sent with it is on the way.
    void connected(int slot);

    /// Bytes came. They are there until this returns.
    void received(int slot, long address, int length);

    /// The server closed.
    void ended(int slot);

    /// The connection failed.
    void failed(int slot, int errno);

    /// A part that was given to [Engine#sendPart] is on its way.
    void sent(int slot);

    /// Not all could be sent.
    void sendFailed(int slot, int errno);
}

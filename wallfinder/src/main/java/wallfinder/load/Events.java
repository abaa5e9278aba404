package wallfinder.load;

import wallfinder.observation.ErrorKind;

/// What an [Engine] tells of its connections.
sealed interface Events permits Exchanges, TlsEngine {
    /// The engine begins to wait, at most so long.
    void waiting(long nanosMax);

    /// What was to be sent goes to the kernel with the wait that begins, and did not when
    /// [Engine#send] was called.
    void sent(int slot);

    /// The engine has waited. What is told next happened by now.
    ///
    /// @param happened whether the wait was ended by something that happened
    void woken(boolean happened);

    /// The time has gone on since.
    void tick();

    /// The connection stands, and what was to be sent with it is on the way.
    void connected(int slot);

    /// Bytes came. They are there until this returns.
    void received(int slot, long address, int length);

    /// The server closed.
    void ended(int slot);

    /// The connection failed.
    void failed(int slot, int errno);

    /// A part that was given to [Engine#sendPart] is on its way.
    void partSent(int slot);

    /// Not all could be sent.
    void sendFailed(int slot, int errno);

    /// Where there is TLS: the server said that it sends no more. It is about to close.
    void ending(int slot);

    /// Where there is TLS: it failed, or the connection was closed without its consent.
    void broken(int slot, ErrorKind kind);
}

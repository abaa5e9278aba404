package wallfinder.load;

import wallfinder.observation.ErrorKind;

/// What an [Engine] reports about its connections.
sealed interface Events permits Exchanges, TlsEngine {
    /// The engine begins to wait, for at most this time.
    void waiting(long nanosMax);

    /// The wait that begins now hands the bytes of [Engine#send] to the kernel.
    void sent(int slot);

    /// The engine has waited. The events that follow have happened by now.
    ///
    /// @param happened whether an event ended the wait
    void woken(boolean happened);

    /// Time has passed since the last event.
    void tick();

    /// The connection is established, and the bytes given with it are being sent.
    void connected(int slot);

    /// Bytes have arrived. They are valid until this method returns.
    void received(int slot, long address, int length);

    void ended(int slot);

    void failed(int slot, int errno);

    /// The kernel has taken a part that was given to [Engine#sendPart].
    void partSent(int slot);

    void sendFailed(int slot, int errno);

    /// TLS only: the server has announced that it sends no more and is about to close.
    void ending(int slot);

    /// TLS only: it failed, or the connection was closed without an announcement.
    void broken(int slot, ErrorKind kind);
}

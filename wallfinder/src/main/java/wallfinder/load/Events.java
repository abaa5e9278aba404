package wallfinder.load;

import wallfinder.observation.ErrorKind;

/// What an [Engine] tells of its connections.
sealed interface Events permits Exchanges, TlsEngine {
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

    /// Not all could be sent.
    void sendFailed(int slot, int errno);

    /// All that [Engine#sendTold] was given has gone.
    void sent(int slot);

    /// Where there is TLS: the socket is connected, and a handshake begins.
    void stands(int slot);

    /// Where there is TLS, just before [#connected].
    ///
    /// @param resumed whether an earlier session was taken up
    void handshaken(int slot, boolean resumed);

    /// Where there is TLS: the server said that it sends no more. It is about to close.
    void ending(int slot);

    /// Where there is TLS: it failed, or the connection was closed without its consent.
    void broken(int slot, ErrorKind kind);
}

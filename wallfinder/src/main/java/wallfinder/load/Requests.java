package wallfinder.load;

/// What is asked. One for each engine thread; the bytes are in native memory.
sealed interface Requests extends AutoCloseable permits FixedRequest, MixedRequests {
    /// Gives an exchange the request that it is to send.
    void next(Exchange exchange);

    @Override
    void close();
}

package wallfinder.load;

/// The requests of one engine thread. Their bytes are in native memory.
sealed interface Requests extends AutoCloseable permits FixedRequest, MixedRequests {
    /// Sets the next request of an exchange.
    void next(Exchange exchange);

    @Override
    default void close() {}
}

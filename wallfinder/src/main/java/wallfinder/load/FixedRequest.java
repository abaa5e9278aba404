package wallfinder.load;

/// The same request for all exchanges.
final class FixedRequest implements Requests {
    private final int length;
    private final long address;
    private final boolean head;

    /// @param form must be plain and whole
    FixedRequest(RequestForm form) {
        length = form.start.plainBytes;
        address = form.start.firsts[0];
        head = form.head;
    }

    @Override
    public void next(Exchange exchange) {
        exchange.requestAddress = address;
        exchange.requestLength = length;
        exchange.head = head;
    }
}

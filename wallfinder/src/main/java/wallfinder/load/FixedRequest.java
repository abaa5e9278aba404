package wallfinder.load;

import wallfinder.linux.Memory;

/// The same request for all exchanges.
final class FixedRequest implements Requests {
    private final int length;
    private final long address;
    private final boolean head;

    FixedRequest(Request request, boolean keepalive) {
        byte[] bytes = RequestBytes.render(request, keepalive);
        length = bytes.length;
        address = Memory.map(length);
        Memory.putBytes(address, bytes);
        head = request.method().equals("HEAD");
    }

    @Override
    public void next(Exchange exchange) {
        exchange.requestAddress = address;
        exchange.requestLength = length;
        exchange.head = head;
    }

    @Override
    public void close() {
        Memory.unmap(address, length);
    }
}

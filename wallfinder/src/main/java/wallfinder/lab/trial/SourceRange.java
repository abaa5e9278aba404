package wallfinder.lab.trial;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.UsageException;
import wallfinder.sandbox.Sandbox;

/// Parses the addresses to connect from: `127.0.0.2` or `127.0.0.2-127.0.0.9`.
public final class SourceRange {
    private static final int ADDRESSES_MAX = 65_536;

    private SourceRange() {}

    /// @throws UsageException if the text is no range, or the range is too large
    public static List<InetAddress> parse(String text) {
        int dash = text.indexOf('-');
        InetAddress first = address(text, dash < 0 ? text : text.substring(0, dash));
        InetAddress last = dash < 0 ? first : address(text, text.substring(dash + 1));
        List<InetAddress> addresses = new ArrayList<>();
        Optional<InetAddress> next = Optional.of(first);
        while (next.isPresent() && addresses.size() < ADDRESSES_MAX) {
            addresses.add(next.get());
            if (next.get().equals(last)) {
                return List.copyOf(addresses);
            }
            next = after(next.get());
        }
        throw wrong(
                text, "its end is not within " + ADDRESSES_MAX + " addresses after its beginning");
    }

    private static InetAddress address(String text, String part) {
        try {
            return InetAddress.ofLiteral(part.strip());
        } catch (IllegalArgumentException e) {
            throw wrong(text, "\"" + part.strip() + "\" is not an IP address");
        }
    }

    private static Optional<InetAddress> after(InetAddress address) {
        byte[] bytes = address.getAddress();
        for (int i = bytes.length - 1; i >= 0; i--) {
            bytes[i]++;
            if (bytes[i] != 0) {
                return Optional.of(of(bytes));
            }
        }
        return Optional.empty();
    }

    private static InetAddress of(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (java.net.UnknownHostException e) {
            throw new AssertionError("the length is that of an address", e);
        }
    }

    private static UsageException wrong(String text, String why) {
        return new UsageException(
                "the source addresses \"" + text + "\" cannot be used",
                why,
                "write them as in 127.0.0.2-127.0.0.9");
    }

    /// The same, of addresses that the client of a sandbox has.
    ///
    /// @throws UsageException if it lacks one
    static List<InetAddress> parse(String text, Sandbox sandbox) {
        List<InetAddress> asked = parse(text);
        if (sandbox.sourceAddresses().containsAll(asked)) {
            return asked;
        }
        List<InetAddress> there = sandbox.sourceAddresses(Sandbox.SOURCE_ADDRESSES_MAX);
        if (there.containsAll(asked)) {
            return asked;
        }
        throw new UsageException(
                "the source addresses \"" + text + "\" cannot be used",
                "the client of this sandbox has %s-%s"
                        .formatted(
                                there.getFirst().getHostAddress(),
                                there.getLast().getHostAddress()),
                "write \"{client}\" for the first of them, or leave `source` out: then there are as"
                        + " many as the connections need");
    }
}

package wallfinder.mcp;

import java.net.InetAddress;
import java.util.Locale;
import java.util.function.Predicate;
import wallfinder.experiment.UsageException;
import wallfinder.lab.trial.Urls;

/// Where a load goes, and what is allowed there.
///
/// Only addresses and `localhost` are looked at, never the address of a name: the next look-up of
/// the name might give another one.
///
/// @param host as in the URL, in lower case, without brackets
record Target(String host, Reach reach) {
    private static final int IPV6_BYTES = 16;

    /// Where virtual machines of AWS read their credentials. The address for IPv4 is link-local.
    private static final InetAddress METADATA = InetAddress.ofLiteral("fd00:ec2::254");

    /// How far a load goes.
    enum Reach {
        /// The loopback: it stays on this host.
        THIS_HOST,
        /// An address that the Internet does not route. Others may share what is there.
        PRIVATE,
        ELSEWHERE
    }

    /// @throws UsageException if the engine could not use the URL either
    static Target of(String url) {
        String raw = Urls.parse(url).getHost().toLowerCase(Locale.ROOT);
        String host = raw.startsWith("[") ? raw.substring(1, raw.length() - 1) : raw;
        return new Target(host, reach(host));
    }

    private static Reach reach(String host) {
        if (host.equals("localhost")) {
            return Reach.THIS_HOST;
        }
        try {
            return reach(host, InetAddress.ofLiteral(host));
        } catch (IllegalArgumentException e) {
            return Reach.ELSEWHERE; // a name
        }
    }

    private static Reach reach(String host, InetAddress address) {
        byte[] bytes = address.getAddress();
        boolean ipv6 = bytes.length == IPV6_BYTES;
        if (!ipv6 && !address.getHostAddress().equals(host)) {
            return Reach.ELSEWHERE; // 127.1 and the like: not all programs read them alike
        }
        if (address.isLoopbackAddress()) {
            return Reach.THIS_HOST;
        }
        if (address.equals(METADATA)) {
            return Reach.ELSEWHERE;
        }
        boolean uniqueLocal = ipv6 && (bytes[0] & 0xfe) == 0xfc; // RFC 4193
        boolean ofRfc1918 = !ipv6 && address.isSiteLocalAddress();
        return uniqueLocal || ofRfc1918 ? Reach.PRIVATE : Reach.ELSEWHERE;
    }

    /// Checks that this target may get a load with a fixed rate, which the permissions bound.
    void checkPaced(Permissions allowed) {
        check(allowed, reach -> reach != Reach.ELSEWHERE, "get any load");
    }

    /// Checks that this target may get as much as it can answer.
    void checkUnpaced(Permissions allowed) {
        check(
                allowed,
                reach -> reach == Reach.THIS_HOST,
                "get a load without a rate, which takes all that the service has");
    }

    private void check(Permissions allowed, Predicate<Reach> enough, String what) {
        if (enough.test(reach) || allowed.hosts().contains(host)) {
            return;
        }
        throw new UsageException(
                "the host " + host + " may not " + what,
                switch (reach) {
                    case THIS_HOST -> throw new IllegalStateException("this host may get any load");
                    case PRIVATE -> "others may use what is at this private address";
                    case ELSEWHERE -> "it is neither this host nor a private address";
                },
                (reach == Reach.PRIVATE ? "use the tool load with a rate, or ask" : "ask")
                        + " the operator of this server to start it with --allow-host "
                        + host);
    }
}

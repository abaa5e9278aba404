package wallfinder.experiment;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The kernel settings of each end's network namespace, by sysctl name, its name lookup, and the
/// kind of the addresses.
///
/// @param serverResolver null for the host's
/// @param clientResolver null for the host's
/// @param v6 whether `{server}` and `{client}` are IPv6 addresses
public record SandboxSpec(
        Map<String, String> server,
        Map<String, String> client,
        @Nullable Resolver serverResolver,
        @Nullable Resolver clientResolver,
        boolean v6) {
    public SandboxSpec(Map<String, String> server, Map<String, String> client) {
        this(server, client, null, null, false);
    }

    public @Nullable Resolver resolver(boolean ofServer) {
        return ofServer ? serverResolver : clientResolver;
    }

    public Map<String, String> sysctls(boolean ofServer) {
        return ofServer ? server : client;
    }

    SandboxSpec with(boolean ofServer, Map<String, String> sysctls) {
        return ofServer
                ? new SandboxSpec(sysctls, client, serverResolver, clientResolver, v6)
                : new SandboxSpec(server, sysctls, serverResolver, clientResolver, v6);
    }

    SandboxSpec with(boolean ofServer, Resolver resolver) {
        return ofServer
                ? new SandboxSpec(server, client, resolver, clientResolver, v6)
                : new SandboxSpec(server, client, serverResolver, resolver, v6);
    }
}

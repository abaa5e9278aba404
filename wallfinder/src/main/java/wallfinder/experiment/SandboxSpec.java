package wallfinder.experiment;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The kernel settings of each end's network namespace, by sysctl name, and its name lookup.
///
/// @param serverResolver null for the host's
/// @param clientResolver null for the host's
public record SandboxSpec(
        Map<String, String> server,
        Map<String, String> client,
        @Nullable Resolver serverResolver,
        @Nullable Resolver clientResolver) {
    public SandboxSpec(Map<String, String> server, Map<String, String> client) {
        this(server, client, null, null);
    }

    public @Nullable Resolver resolver(boolean ofServer) {
        return ofServer ? serverResolver : clientResolver;
    }

    Map<String, String> sysctls(boolean ofServer) {
        return ofServer ? server : client;
    }

    SandboxSpec with(boolean ofServer, Map<String, String> sysctls) {
        return ofServer
                ? new SandboxSpec(sysctls, client, serverResolver, clientResolver)
                : new SandboxSpec(server, sysctls, serverResolver, clientResolver);
    }

    SandboxSpec with(boolean ofServer, Resolver resolver) {
        return ofServer
                ? new SandboxSpec(server, client, resolver, clientResolver)
                : new SandboxSpec(server, client, serverResolver, resolver);
    }
}

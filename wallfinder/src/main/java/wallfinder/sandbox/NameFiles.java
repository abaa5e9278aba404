package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Resolver;

/// The name lookup files for the programs of one end.
///
/// @param servers replaces `/etc/resolv.conf`
/// @param order replaces `/etc/nsswitch.conf`; null on a host without this file
record NameFiles(Path servers, @Nullable Path order) {
    private static final Path NSSWITCH = Path.of("/etc/nsswitch.conf");

    /// Other sources of names, such as a daemon of the host, are outside of the sandbox.
    private static final String HOSTS = "hosts: files dns";

    static NameFiles write(Resolver resolver, Map<String, String> names, Path folder, String end)
            throws IOException {
        Files.createDirectories(folder);
        Path servers = folder.resolve(end + "-resolv.conf");
        Files.writeString(servers, resolver.file(names));
        if (!Files.isReadable(NSSWITCH)) {
            return new NameFiles(servers, null);
        }
        Path order = folder.resolve(end + "-nsswitch.conf");
        String lines =
                Files.readAllLines(NSSWITCH).stream()
                        .filter(line -> !line.startsWith("hosts:"))
                        .collect(Collectors.joining("\n"));
        Files.writeString(order, lines + "\n" + HOSTS + "\n");
        return new NameFiles(servers, order);
    }
}

package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Resolver;

/// The files by which programs look names up, for those of one end.
///
/// @param servers takes the place of `/etc/resolv.conf`
/// @param order takes the place of `/etc/nsswitch.conf`, or null on a host that has none
record NameFiles(Path servers, @Nullable Path order) {
    private static final Path NSSWITCH = Path.of("/etc/nsswitch.conf");

    /// Other ways to a name than its file and its servers, such as a daemon of the host, would lead
    /// out of the sandbox.
    private static final String HOSTS = "hosts: files dns";

    /// Writes them into a folder.
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

package wallfinder.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The name lookup of one end of the sandbox, as in `resolv.conf`: name servers in the order of
/// use, and options such as `timeout:1`.
///
/// @param servers addresses, or `{server}` and `{client}`
public record Resolver(List<String> servers, List<String> options) {
    /// The C library uses no more servers (MAXNS, resolv.h).
    private static final int SERVERS_MAX = 3;

    private static final String SERVER =
            "\\{server}|\\{client}|[0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9a-fA-F:]*:[0-9a-fA-F:.]*";
    private static final String OPTION = "[a-z][a-z0-9-]{0,30}(:[0-9]{1,9})?";

    /// Reads addresses and options, separated by spaces: `10.0.0.1 10.0.0.2 timeout:1`.
    public static Resolver parse(String text) {
        List<String> servers = new ArrayList<>();
        List<String> options = new ArrayList<>();
        for (String word : text.strip().split("\\s+")) {
            if (word.matches(SERVER) && !word.matches(OPTION)) {
                servers.add(word);
            } else if (word.matches(OPTION)) {
                options.add(word);
            } else {
                throw wrong(text, "'" + word + "' is neither an address nor an option");
            }
        }
        if (servers.isEmpty() || servers.size() > SERVERS_MAX) {
            throw wrong(text, "a resolv.conf has one to " + SERVERS_MAX + " addresses");
        }
        return new Resolver(List.copyOf(servers), List.copyOf(options));
    }

    private static UsageException wrong(String text, String why) {
        return new UsageException(
                "'" + text + "' is not a list of name servers",
                why,
                "Write it as 10.0.0.1, or as \"{server} 10.0.0.2 timeout:1\"");
    }

    public String text() {
        return Stream.concat(servers.stream(), options.stream()).collect(Collectors.joining(" "));
    }

    /// The content of a `resolv.conf`.
    public String file(Map<String, String> names) {
        String lines =
                servers.stream()
                        .map(server -> "nameserver " + Placeholders.fill(server, names) + "\n")
                        .collect(Collectors.joining());
        return options.isEmpty() ? lines : lines + "options " + String.join(" ", options) + "\n";
    }

    /// The same with the first server moved to the end.
    public Resolver rotated() {
        List<String> rotated = new ArrayList<>(servers.subList(1, servers.size()));
        rotated.add(servers.getFirst());
        return new Resolver(List.copyOf(rotated), options);
    }

    /// The same with a shorter timeout: one query to each server, for a second.
    public Resolver impatient() {
        Stream<String> others =
                options.stream()
                        .filter(o -> !o.startsWith("timeout:") && !o.startsWith("attempts:"));
        return new Resolver(
                servers, Stream.concat(others, Stream.of("timeout:1", "attempts:1")).toList());
    }
}

package wallfinder.sampling;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import wallfinder.observation.Bound;

/// The files that set the kernel's settings at boot (`sysctl.d(5)`).
public record SettingFiles(Path root) implements SettingOrigin {
    /// A file overrides the files of the same name in later folders.
    private static final List<String> FOLDERS =
            List.of(
                    "etc/sysctl.d",
                    "run/sysctl.d",
                    "usr/local/lib/sysctl.d",
                    "usr/lib/sysctl.d",
                    "lib/sysctl.d");

    private static final int FILE_BYTES_MAX = 1 << 20;

    record Line(Path file, String value) {}

    @Override
    public Bound.Setter of(String name, String value) {
        List<String> commands = List.of("sysctl -w " + name + "={to}");
        Optional<Line> line = line(name);
        if (line.isEmpty()) {
            return new Bound.Setter(name + " (no file sets it)", commands);
        }
        String file = line.get().file().toString();
        return new Bound.Setter(
                same(line.get().value(), value)
                        ? name + " in " + file
                        : name + ", by hand (" + file + " has " + line.get().value() + ")",
                commands);
    }

    private static boolean same(String one, String other) {
        return one.replaceAll("\\s+", " ").equals(other.strip().replaceAll("\\s+", " "));
    }

    /// The last line that sets the setting.
    Optional<Line> line(String name) {
        Optional<Line> last = Optional.empty();
        for (Path file : files()) {
            for (String line : lines(file)) {
                int equals = line.indexOf('=');
                String key = equals < 0 ? "" : line.substring(0, equals).strip();
                key = key.startsWith("-") ? key.substring(1).strip() : key;
                if (!line.startsWith("#") && key.replace('/', '.').equals(name)) {
                    last = Optional.of(new Line(file, line.substring(equals + 1).strip()));
                }
            }
        }
        return last;
    }

    /// The files in the order in which the host applies them.
    private Collection<Path> files() {
        TreeMap<String, Path> byName = new TreeMap<>();
        for (String folder : FOLDERS) {
            try (var files = Files.newDirectoryStream(root.resolve(folder), "*.conf")) {
                for (Path file : files) {
                    byName.putIfAbsent(String.valueOf(file.getFileName()), file);
                }
            } catch (IOException e) {
                // This host does not have the folder.
            }
        }
        List<Path> all = new ArrayList<>(byName.values());
        all.add(root.resolve("etc/sysctl.conf"));
        return all;
    }

    /// The stripped lines of a file; empty if the file cannot be read.
    static List<String> lines(Path file) {
        try (var in = Files.newInputStream(file)) {
            String text = new String(in.readNBytes(FILE_BYTES_MAX), StandardCharsets.UTF_8);
            return text.lines().map(String::strip).toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}

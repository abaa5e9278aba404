package wallfinder.profiling;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import wallfinder.linux.RootedFolder;
import wallfinder.observation.CpuWindow.Frame;
import wallfinder.sampling.PidNamespace;

/// The names of the functions of a process that is no JVM: of the files that it has mapped, and of
/// the code that it has compiled itself, if it says so in `/tmp/perf-PID.map` (Node.js with
/// `--perf-basic-prof`, Python with `-X perf`).
final class NativeSymbols {
    private static final Frame UNKNOWN = new Frame("unknown code", Frame.NO_NAME, false);
    private static final Frame COMPILED = new Frame("compiled code", Frame.NO_NAME, false);

    /// A larger file is read in part.
    private static final int LINES_MAX = 1_000_000;

    private final int pid;
    private final Map<Long, Frame> frames = new HashMap<>();
    private final Map<String, ElfSymbols> files = new HashMap<>();
    private final TreeMap<Long, Mapping> mappings = new TreeMap<>(Long::compareUnsigned);
    private final TreeMap<Long, Code> compiled = new TreeMap<>(Long::compareUnsigned);

    private long compiledBytes;

    NativeSymbols(int pid) {
        this.pid = pid;
    }

    /// Reads what the process has mapped or compiled since the last time.
    void refresh() {
        frames.clear();
        readMappings();
        readCompiled();
    }

    /// @param range as the kernel writes it, such as `55d0c000-55d0d000`
    /// @param path empty for memory without a file
    private record Mapping(String range, long end, long offset, long inode, String path) {}

    private record Code(long end, String name) {}

    Frame frame(long address) {
        return frames.computeIfAbsent(address, this::find);
    }

    /// Whether the address that led to this is in no code of the process.
    static boolean isUnknown(Frame frame) {
        return frame.equals(UNKNOWN);
    }

    private Frame find(long address) {
        Map.Entry<Long, Code> code = compiled.floorEntry(address);
        if (code != null && Long.compareUnsigned(address, code.getValue().end()) < 0) {
            return NativeNames.compiled(code.getValue().name());
        }
        Map.Entry<Long, Mapping> found = mappings.floorEntry(address);
        if (found == null || Long.compareUnsigned(address, found.getValue().end()) >= 0) {
            return UNKNOWN;
        }
        Mapping mapping = found.getValue();
        if (!mapping.path().startsWith("/")) {
            return mapping.path().isEmpty()
                    ? COMPILED
                    : new Frame(mapping.path(), Frame.NO_NAME, false);
        }
        ElfSymbols symbols = files.computeIfAbsent(mapping.path(), path -> symbols(mapping));
        return NativeNames.of(mapping.path(), symbols, address - found.getKey() + mapping.offset());
    }

    /// The kernel's link leads to the very file that is mapped, in any container. Other users than
    /// root may not follow it.
    private ElfSymbols symbols(Mapping mapping) {
        try {
            return ElfSymbols.read(Path.of("/proc", "" + pid, "map_files", mapping.range()));
        } catch (IOException | RuntimeException e) {
            return ofPath(mapping);
        }
    }

    private static ElfSymbols ofPath(Mapping mapping) {
        try {
            Path path = Path.of(mapping.path());
            boolean same =
                    Files.isRegularFile(path)
                            && Files.getAttribute(path, "unix:ino").equals(mapping.inode());
            return same ? ElfSymbols.read(path) : ElfSymbols.NONE;
        } catch (IOException | RuntimeException e) {
            return ElfSymbols.NONE;
        }
    }

    private void readMappings() {
        try (BufferedReader lines = lines(Path.of("/proc", "" + pid, "maps"))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" +", 6);
                if (words.length >= 5 && words[1].contains("x")) {
                    int dash = words[0].indexOf('-');
                    mappings.put(
                            hex(words[0].substring(0, dash)),
                            new Mapping(
                                    words[0],
                                    hex(words[0].substring(dash + 1)),
                                    hex(words[2]),
                                    Long.parseLong(words[4]),
                                    words.length == 6 ? words[5] : ""));
                }
            }
        } catch (IOException | RuntimeException e) {
            // It has ended, or this user may not read it: its code stays unknown.
        }
    }

    private void readCompiled() {
        try (RootedFolder tmp = RootedFolder.open(pid, "tmp")) {
            Path file = tmp == null ? null : tmp.file("perf-" + PidNamespace.ownPid(pid) + ".map");
            if (file != null && file.toFile().length() != compiledBytes) {
                readCompiled(file);
            }
        }
    }

    private void readCompiled(Path file) {
        compiledBytes = file.toFile().length();
        try (BufferedReader lines = lines(file)) {
            int count = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ", 3);
                if (words.length == 3 && count++ < LINES_MAX) {
                    long start = hex(words[0]);
                    compiled.put(start, new Code(start + hex(words[1]), words[2]));
                }
            }
        } catch (IOException | RuntimeException e) {
            // The names read so far are good.
        }
    }

    private static BufferedReader lines(Path file) throws IOException {
        return new BufferedReader(
                new InputStreamReader(
                        Channels.newInputStream(
                                Files.newByteChannel(file, StandardOpenOption.READ)),
                        StandardCharsets.UTF_8));
    }

    private static long hex(String digits) {
        return Long.parseUnsignedLong(digits.startsWith("0x") ? digits.substring(2) : digits, 16);
    }
}

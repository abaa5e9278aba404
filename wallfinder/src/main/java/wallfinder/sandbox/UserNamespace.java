package wallfinder.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import wallfinder.linux.KernelFile;

/// The user namespace of this process, from `/proc/self/uid_map`. Each line has the first UID
/// inside, the first UID outside, and their count.
final class UserNamespace {
    private static final Path UID_MAP = Path.of("/proc/self/uid_map");
    private static final long ALL = 4294967295L;

    private UserNamespace() {}

    /// Whether this is not the host's user namespace. If so, our rights end at what it owns.
    static boolean separate() {
        return separate(read());
    }

    static boolean separate(String uidMap) {
        String[] first = uidMap.strip().split("\\s+");
        return !(first.length == 3
                && first[0].equals("0")
                && first[1].equals("0")
                && Long.parseLong(first[2]) == ALL);
    }

    /// Whether it has only our own user, such as that of `unshare --map-root-user`. We may then be
    /// root in it, but can become nobody else.
    static boolean ofOneUser() {
        return ofOneUser(read());
    }

    static boolean ofOneUser(String uidMap) {
        return uidMap.lines().mapToLong(line -> Long.parseLong(line.strip().split("\\s+")[2])).sum()
                == 1;
    }

    /// Our UID outside.
    static long hostUid() {
        try {
            String line =
                    KernelFile.lines(Path.of("/proc/self/status")).stream()
                            .filter(l -> l.startsWith("Uid:"))
                            .findFirst()
                            .orElseThrow();
            return hostUid(read(), Long.parseLong(line.split("\\s+")[2]));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static long hostUid(String uidMap, long uid) {
        for (String line : uidMap.lines().toList()) {
            String[] map = line.strip().split("\\s+");
            long inside = Long.parseLong(map[0]);
            if (uid >= inside && uid < inside + Long.parseLong(map[2])) {
                return Long.parseLong(map[1]) + uid - inside;
            }
        }
        return uid;
    }

    private static String read() {
        try {
            return KernelFile.read(UID_MAP);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

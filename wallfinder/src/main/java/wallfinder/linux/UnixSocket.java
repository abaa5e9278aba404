package wallfinder.linux;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/// Unix sockets by path. A leading `@` means an abstract socket, which has no file (unix(7)).
public final class UnixSocket {
    /// The longest path in bytes; the kernel reserves one byte for the terminating zero.
    public static final int PATH_BYTES_MAX = Layouts.SOCKADDR_UN_PATH_SIZE - 1;

    private UnixSocket() {}

    public static boolean isAbstract(String path) {
        return path.startsWith("@");
    }

    public static int pathBytes(String path) {
        return path.getBytes(StandardCharsets.UTF_8).length;
    }

    /// Writes a socket address of up to [Sockets#ADDRESS_BYTES] and returns its length.
    public static int writeAddress(long to, String path) {
        byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0 || bytes.length > PATH_BYTES_MAX) {
            throw new IllegalArgumentException("not the path of a unix socket: " + path);
        }
        Memory.putShort(to + Layouts.SOCKADDR_FAMILY, (short) Sockets.AF_UNIX);
        long name = to + Layouts.SOCKADDR_UN_PATH;
        Memory.putBytes(name, bytes);
        if (isAbstract(path)) {
            Memory.putByte(name, (byte) 0);
            return Layouts.SOCKADDR_UN_PATH + bytes.length;
        }
        Memory.putByte(name + bytes.length, (byte) 0);
        return Layouts.SOCKADDR_UN_PATH + bytes.length + 1;
    }

    /// Connects once, so that a wrong path fails before anything else happens.
    ///
    /// @return the process that listens, or 0 if it is hidden in another container
    /// @throws EnvironmentException if nothing accepts connections at the path
    public static int reach(String path) {
        Sockets sockets = new Sockets();
        long address = Memory.map(Sockets.ADDRESS_BYTES);
        int fd = -1;
        try {
            fd = (int) Syscall.check("socket(AF_UNIX)", sockets.openUnix());
            int result = sockets.connect(fd, address, writeAddress(address, path));
            if (result == -Errno.EAGAIN.number()) {
                return 0; // A process listens, and its queue is full.
            }
            if (result < 0) {
                throw unreachable(path, Errno.of(-result));
            }
            return Math.max(0, sockets.peerProcess(fd));
        } finally {
            if (fd >= 0) {
                Syscall.closeQuietly(fd);
            }
            Memory.unmap(address, Sockets.ADDRESS_BYTES);
        }
    }

    private static EnvironmentException unreachable(String path, Errno errno) {
        String what = "nothing answers at the unix socket " + path;
        return switch (errno) {
            case ENOENT ->
                    new EnvironmentException(
                            what, "there is no such file", "start the service, or check the path");
            case EACCES, EPERM ->
                    new EnvironmentException(
                            what,
                            "this user may not connect, which needs the right to write to the"
                                    + " socket and to search its folders",
                            "run as another user, or change the socket's mode");
            case ECONNREFUSED -> refused(what, path);
            case EPROTOTYPE ->
                    new EnvironmentException(
                            what, "the unix socket is not a stream socket", "check the path");
            default ->
                    new EnvironmentException(
                            what, errno.meaning() + " (" + errno + ")", errno.todo());
        };
    }

    private static EnvironmentException refused(String what, String path) {
        boolean file =
                !isAbstract(path) && Files.isRegularFile(Path.of(path), LinkOption.NOFOLLOW_LINKS);
        boolean folder = !isAbstract(path) && Files.isDirectory(Path.of(path));
        if (file || folder) {
            return new EnvironmentException(
                    what, "it is a " + (file ? "file" : "folder"), "check the path");
        }
        return new EnvironmentException(
                what, "nothing listens there", "start the service, or check the path");
    }
}

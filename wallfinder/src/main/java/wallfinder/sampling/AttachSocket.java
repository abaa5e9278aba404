package wallfinder.sampling;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.Processes;
import wallfinder.linux.RootedFolder;

/// The attach socket of a HotSpot JVM (src/hotspot/os/posix/attachListener_posix.cpp):
/// `/tmp/.java_pidPID` in the JVM's view of the file system. The JVM creates the socket when it
/// finds the file `.attach_pidPID` and gets the signal SIGQUIT.
///
/// A unix socket belongs to the file system, so it works across network namespaces. Only a socket
/// that belongs to the user of the JVM or to root is used, and no link leads to another one.
public final class AttachSocket implements AutoCloseable {
    /// On a busy host the JVM's threads wait for a CPU before they answer.
    private static final long SOCKET_NANOS_MAX = 5_000_000_000L;

    private static final long POLL_NANOS = 5_000_000L;
    private static final long ANSWER_NANOS_MAX = 5_000_000_000L;
    private static final int ANSWER_BYTES_MAX = 16 << 20;
    private static final int SIGQUIT = 3;
    private static final int ARGUMENTS = 3;

    private static final int ROOT = 0;
    private static final String FORBIDDEN = "+DisableAttachMechanism";

    private final int pid;
    private final String name;
    private final String trigger;
    private @Nullable RootedFolder tmp;
    private boolean made;
    private boolean refused;

    public AttachSocket(int pid) {
        this.pid = pid;
        int own = PidNamespace.ownPid(pid);
        name = ".java_pid" + own;
        trigger = ".attach_pid" + own;
    }

    /// Asks for what `jstack` shows: all platform threads. The JVM is stopped meanwhile, for less
    /// than a millisecond if it has few threads.
    ///
    /// @return null if the JVM does not answer
    @Nullable String threads() {
        return ask("threaddump", ANSWER_NANOS_MAX, "");
    }

    /// Asks for what `jcmd PID COMMAND` shows.
    ///
    /// @return null if the JVM does not answer or does not know the command
    public @Nullable String jcmd(String command) {
        return jcmd(command, ANSWER_NANOS_MAX);
    }

    /// The same for a command that takes longer.
    public @Nullable String jcmd(String command, long nanosMax) {
        return ask("jcmd", nanosMax, command);
    }

    /// Loads a native agent, or passes options to an agent that is loaded.
    ///
    /// @param library the agent's path in the JVM's view
    /// @return null if the JVM does not answer or cannot load it
    public @Nullable String loadAgent(String library, String options) {
        return ask("load", ANSWER_NANOS_MAX, library, "true", options);
    }

    /// @return null if the JVM has no socket and creates none
    private @Nullable Path socket() {
        if (tmp == null) {
            tmp = RootedFolder.open(pid, "tmp");
        }
        RootedFolder folder = tmp;
        if (folder == null) {
            return null;
        }
        Set<Integer> owners = Set.copyOf(List.of(ROOT, user()));
        Path found = folder.socket(name, owners);
        if (found != null || refused) {
            return found;
        }
        found = forbidden() ? null : created(folder, owners);
        refused = found == null;
        return found;
    }

    private @Nullable Path created(RootedFolder folder, Set<Integer> owners) {
        Path file = folder.path().resolve(trigger);
        try {
            createTrigger(file);
            try {
                boolean asked = Processes.signal(pid, SIGQUIT, this::catchesQuit);
                Path found = asked ? awaited(folder, owners) : null;
                made |= found != null;
                return found;
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            return null; // this user may not write to the JVM's /tmp
        }
    }

    /// A process that was killed while it attached left the file behind. A link is not followed: it
    /// exists, too.
    private static void createTrigger(Path file) throws IOException {
        try {
            Files.createFile(file);
        } catch (FileAlreadyExistsException e) {
            // It serves as well.
        }
    }

    private @Nullable Path awaited(RootedFolder folder, Set<Integer> owners) {
        long end = System.nanoTime() + SOCKET_NANOS_MAX;
        Path found = folder.socket(name, owners);
        while (found == null && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(POLL_NANOS);
            found = folder.socket(name, owners);
        }
        return found;
    }

    /// The effective user of the JVM; root if it has ended.
    private int user() {
        KernelText status = new KernelText();
        if (!status.loadOnce("/proc/" + pid + "/status") || !status.seek(KernelText.key("Uid:"))) {
            return ROOT;
        }
        status.skipWord(); // the real user
        return (int) status.number();
    }

    /// A JVM that forbids attaching would write a thread dump to its log instead. So would one in
    /// another user namespace, whose users are not ours.
    private boolean forbidden() {
        KernelText words = new KernelText();
        boolean alive = words.loadOnce("/proc/" + pid + "/cmdline");
        boolean byCommand = words.line().contains(FORBIDDEN);
        boolean known = words.loadOnce("/proc/" + pid + "/environ");
        boolean byVariable = known && words.line().contains(FORBIDDEN);
        return !alive || byCommand || byVariable || forbiddenByFile() || inOtherUserNamespace();
    }

    /// A file of options (`java @FILE`) is neither in the command nor in the environment.
    private boolean forbiddenByFile() {
        try (PerfData published = PerfData.open(pid)) {
            return published != null && published.text("java.rt.vmArgs").contains(FORBIDDEN);
        }
    }

    private boolean inOtherUserNamespace() {
        try {
            Path own = Files.readSymbolicLink(Path.of("/proc/self/ns/user"));
            return !Files.readSymbolicLink(Path.of("/proc/" + pid + "/ns/user")).equals(own);
        } catch (IOException e) {
            return true; // it belongs to another user, or has ended
        }
    }

    /// The signal kills a process that does not catch it, such as a JVM with `-Xrs`.
    private boolean catchesQuit() {
        KernelText status = new KernelText();
        return status.loadOnce("/proc/" + pid + "/status")
                && status.seek(KernelText.key("SigCgt:"))
                && (Long.parseUnsignedLong(status.word(), 16) >> (SIGQUIT - 1) & 1) != 0;
    }

    /// Sends the protocol's version, the command and its three arguments, each followed by a zero
    /// byte. The answer is a line with the status, then the text.
    private @Nullable String ask(String command, long nanosMax, String... arguments) {
        StringBuilder words = new StringBuilder("1\0").append(command).append('\0');
        for (int i = 0; i < ARGUMENTS; i++) {
            words.append(i < arguments.length ? arguments[i] : "").append('\0');
        }
        Path socket = socket();
        if (socket == null) {
            return null;
        }
        byte[] question = words.toString().getBytes(StandardCharsets.US_ASCII);
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                Selector selector = Selector.open()) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            channel.write(ByteBuffer.wrap(question));
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            String answer = answer(channel, selector, nanosMax);
            return answer != null && answer.startsWith("0\n") ? answer.substring(2) : null;
        } catch (IOException e) {
            return null; // the JVM has no free descriptor, or has ended
        }
    }

    private static @Nullable String answer(SocketChannel channel, Selector selector, long nanosMax)
            throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
        long end = System.nanoTime() + nanosMax;
        for (long left = nanosMax; left > 0; left = end - System.nanoTime()) {
            selector.select(left / 1_000_000 + 1);
            selector.selectedKeys().clear();
            if (channel.read(bytes) < 0) {
                return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
            }
            if (!bytes.hasRemaining()) {
                if (bytes.capacity() >= ANSWER_BYTES_MAX) {
                    return null;
                }
                bytes = ByteBuffer.allocate(2 * bytes.capacity()).put(bytes.flip());
            }
        }
        return null;
    }

    /// Deletes the socket that the JVM created for us, because a killed JVM would leave it behind.
    /// The JVM creates another one when it is asked again.
    @Override
    public void close() {
        try (RootedFolder folder = tmp) {
            if (made && folder != null) {
                Files.deleteIfExists(folder.path().resolve(name));
            }
        } catch (IOException e) {
            // The process has ended, and its view of the files with it.
        }
    }
}

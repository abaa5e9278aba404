package wallfinder.sampling;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import wallfinder.linux.CgroupDirs;
import wallfinder.linux.SockDiag;
import wallfinder.observation.End;
import wallfinder.observation.Reader;

/// Which readers each kind of end has.
class WatchedEndTest {
    private static final Path SOURCES =
            Path.of(
                    System.getProperty("project.root", ".."),
                    "wallfinder/src/main/java/wallfinder/sampling");

    private static final Set<Class<?>> OF_LISTENERS =
            Set.of(ListenReader.class, ConnectionsReader.class);
    private static final Set<Class<?>> OF_THE_WHOLE_HOST =
            Set.of(LookupReader.class, ConntrackReader.class, SoftnetReader.class);
    private static final Set<Class<?>> OF_ONE_END =
            Set.of(TcpMemoryReader.class, HostFilesReader.class);
    private static final Set<Class<?>> OF_PROGRAMS =
            Set.of(
                    ProcessReader.class,
                    JvmReader.class,
                    LogReader.class,
                    CgroupReader.class,
                    TaskLimitsReader.class,
                    WaitsReader.class,
                    LocksReader.class);

    /// The readers that a kind of end leaves out, and why.
    private static final Map<Class<? extends WatchedEnd>, Map<String, Set<Class<?>>>> LEFT_OUT =
            Map.of(
                    WatchedEnd.HiddenServer.class,
                    Map.of(
                            "the process is hidden",
                            OF_PROGRAMS,
                            "on the host's network it counts what other programs do, too",
                            Set.of(SoftnetReader.class),
                            "other programs take ports from the same range",
                            Set.of(PortsReader.class),
                            "a diagnosis with them needs the process behind the port",
                            Set.of(TcpMemoryReader.class)),
                    WatchedEnd.Programs.class,
                    Map.of(
                            "it has no network",
                            union(
                                    OF_THE_WHOLE_HOST,
                                    OF_LISTENERS,
                                    Set.of(
                                            NetstatReader.class,
                                            SockstatReader.class,
                                            LinkReader.class,
                                            TcpMemoryReader.class,
                                            PortsReader.class))),
                    WatchedEnd.Engine.class,
                    Map.of(
                            "the engine listens on no port",
                            OF_LISTENERS,
                            "the limits of the whole host are read at the server's end",
                            OF_ONE_END,
                            "the engine reads its own threads and memory, and counts its ports",
                            union(OF_PROGRAMS, Set.of(PortsReader.class))),
                    WatchedEnd.HostEngine.class,
                    Map.of(
                            "the engine listens on no port",
                            OF_LISTENERS,
                            "on the host's network they count what other programs do, too",
                            union(OF_THE_WHOLE_HOST, OF_ONE_END),
                            "the engine reads its own threads and memory, and counts its ports",
                            union(OF_PROGRAMS, Set.of(PortsReader.class))),
                    WatchedEnd.Command.class,
                    Map.of(
                            "a program that drives a load listens on no port",
                            OF_LISTENERS,
                            "the limits of the whole host are read at the server's end",
                            OF_ONE_END,
                            "where the time of an answer goes is seen at the server",
                            Set.of(WaitsReader.class, LocksReader.class)));

    private static final LocalPortRange RANGE = new LocalPortRange(1_024, 65_535, 0);
    private static final Listeners.Places PLACES = Listeners.Places.of(List.of(1));

    private final List<Reader> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(Reader::close);
    }

    @Test
    void each_kind_of_end_has_every_reader_or_a_reason_to_leave_it_out() throws Exception {
        Set<Class<?>> all = all();
        assertThat(all).hasSizeGreaterThan(10);
        try (SockDiag sockets = SockDiag.open()) {
            for (WatchedEnd end : ends(sockets)) {
                Set<Class<?>> expected = new HashSet<>(all);
                expected.removeAll(leftOut(end));
                assertThat(read(end)).as(end.getClass().getSimpleName()).isEqualTo(expected);
            }
        }
    }

    @Test
    void each_kind_of_end_is_tested() {
        try (SockDiag sockets = SockDiag.open()) {
            assertThat(ends(sockets).stream().map(Object::getClass))
                    .containsAll(List.of(WatchedEnd.class.getPermittedSubclasses()));
        }
    }

    /// Every class of the package that implements [Reader], whether it is used or not.
    private static Set<Class<?>> all() throws Exception {
        Set<Class<?>> all = new HashSet<>();
        try (DirectoryStream<Path> sources = Files.newDirectoryStream(SOURCES, "*.java")) {
            for (Path source : sources) {
                String name = source.getFileName().toString().replace(".java", "");
                if (!name.contains("-")) {
                    Class<?> type = Class.forName("wallfinder.sampling." + name);
                    if (Reader.class.isAssignableFrom(type)) {
                        all.add(type);
                    }
                }
            }
        }
        return all;
    }

    private static Set<Class<?>> leftOut(WatchedEnd end) {
        Set<Class<?>> always =
                LEFT_OUT.getOrDefault(end.getClass(), Map.of()).values().stream()
                        .flatMap(Set::stream)
                        .collect(toSet());
        // Each of these reads what the end of another kind does not show.
        Set<Class<?>> byKind =
                switch (end) {
                    case WatchedEnd.Server server when server.shared() ->
                            Set.of(PortsReader.class, HiddenDescriptorsReader.class);
                    case WatchedEnd.Server _ ->
                            Set.of(DependenciesReader.class, HiddenDescriptorsReader.class);
                    case WatchedEnd.HiddenServer _ ->
                            Set.of(DependenciesReader.class, UnixDependenciesReader.class);
                    case WatchedEnd.Programs _,
                            WatchedEnd.Engine _,
                            WatchedEnd.HostEngine _,
                            WatchedEnd.Command _ ->
                            Set.of(
                                    DependenciesReader.class,
                                    UnixDependenciesReader.class,
                                    HiddenDescriptorsReader.class);
                };
        return union(always, byKind);
    }

    private Set<Class<?>> read(WatchedEnd end) {
        List<Reader> readers = end.readers();
        open.addAll(readers);
        return readers.stream().map(Object::getClass).collect(toSet());
    }

    @SafeVarargs
    private static Set<Class<?>> union(Set<Class<?>>... sets) {
        return Stream.of(sets).flatMap(Set::stream).collect(toSet());
    }

    /// One end of each kind, for this process.
    private static List<WatchedEnd> ends(SockDiag sockets) {
        WatchedEnd.Network network =
                new WatchedEnd.Network(End.SERVER, Path.of("/proc/self/net"), new BitSet());
        long pid = ProcessHandle.current().pid();
        Optional<CgroupDirs> cgroup = Optional.of(new CgroupDirs(2, null, null, null));
        WatchedProgram program = new WatchedProgram.Found("x", () -> new long[] {pid}, pid, cgroup);
        WatchedProgram load =
                new WatchedProgram.Started(
                        End.CLIENT,
                        "load",
                        () -> pid,
                        new File("/dev/null"),
                        0,
                        cgroup,
                        new JvmAsking.Never());
        return List.of(
                server(network, sockets, false, program),
                server(network, sockets, true, program),
                new WatchedEnd.HiddenServer(network, sockets, PLACES),
                new WatchedEnd.Programs(End.SERVER, new BitSet(), List.of(program)),
                new WatchedEnd.Engine(network),
                new WatchedEnd.HostEngine(network),
                new WatchedEnd.Command(network, sockets, RANGE, load));
    }

    private static WatchedEnd server(
            WatchedEnd.Network network, SockDiag sockets, boolean shared, WatchedProgram program) {
        return new WatchedEnd.Server(network, sockets, PLACES, RANGE, shared, List.of(program));
    }
}

package wallfinder.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A process whose root is another folder, with a `/tmp` of its own, as in a container.
@Tag("sandbox")
class RootedFolderTest {
    private static final int ROOT = 0;

    @TempDir Path folder;
    private Path tmp;
    private Path secret;
    private Process process;

    @BeforeEach
    void start() throws Exception {
        Path root = Files.createDirectory(folder.resolve("root"));
        tmp = Files.createDirectory(folder.resolve("tmp"));
        secret = Files.writeString(folder.resolve("secret"), "of the host");
        process =
                new ProcessBuilder(
                                "unshare",
                                "--mount",
                                "sh",
                                "-c",
                                "mount --bind / \"$1\" && mount --bind \"$2\" \"$1/tmp\""
                                        + " && exec chroot \"$1\" sh -c 'echo ready; exec sleep 60'",
                                "sh",
                                root.toString(),
                                tmp.toString())
                        .start();
        assertThat(process.inputReader().readLine()).isEqualTo("ready");
    }

    @AfterEach
    void end() throws Exception {
        process.destroyForcibly();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }

    private RootedFolder open(String path) {
        return RootedFolder.open(process.pid(), path);
    }

    @Test
    void a_file_in_the_view_of_a_process_is_found() throws Exception {
        Files.writeString(Files.createDirectory(tmp.resolve("data")).resolve("file"), "inside");
        try (RootedFolder rooted = open("tmp")) {
            assertThat(rooted.path().toFile().list()).containsExactly("data");
            assertThat(Files.readString(rooted.file("data/file"))).isEqualTo("inside");
            assertThat(rooted.file("data")).isNull();
            assertThat(rooted.file("missing")).isNull();
        }
        assertThat(open("missing")).isNull();
    }

    /// The secret's path leads nowhere in the view of the process.
    @Test
    void no_link_leads_to_a_file_of_the_host() throws Exception {
        Files.createSymbolicLink(tmp.resolve("link"), secret);
        Files.createSymbolicLink(tmp.resolve("folder"), folder);
        Files.createSymbolicLink(tmp.resolve("up"), Path.of("../../../../../" + secret));
        try (RootedFolder rooted = open("tmp")) {
            assertThat(List.of("link", "folder/secret", "up", "../" + secret))
                    .allSatisfy(name -> assertThat(rooted.file(name)).as(name).isNull());
        }
        assertThat(open("tmp/folder")).isNull();
    }

    @Test
    void a_pipe_is_no_file_and_delays_nobody() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", tmp.resolve("pipe").toString()).start().waitFor())
                .isZero();
        try (RootedFolder rooted = open("tmp")) {
            assertThat(rooted.file("pipe")).isNull();
        }
    }

    @Test
    void only_a_socket_of_the_right_user_is_used() throws Exception {
        Path path = folder.resolve("elsewhere");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                RootedFolder rooted = open("tmp")) {
            server.bind(UnixDomainSocketAddress.of(path));
            Files.createSymbolicLink(tmp.resolve("linked"), path);
            Files.writeString(tmp.resolve("file"), "no socket");
            assertThat(rooted.socket("linked", Set.of(ROOT))).isNull();
            assertThat(rooted.socket("file", Set.of(ROOT))).isNull();
            Files.move(path, tmp.resolve("socket"));
            assertThat(rooted.socket("socket", Set.of(65_534))).isNull();
            assertThat(rooted.socket("socket", Set.of(ROOT))).isNotNull();
        }
    }
}

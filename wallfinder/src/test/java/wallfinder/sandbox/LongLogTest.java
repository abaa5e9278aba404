package wallfinder.sandbox;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Real files with holes, written like the log of a service.
class LongLogTest {
    private static final int LINE_BYTES = 64;
    private static final int LINES = 400_000;

    @TempDir private Path folder;

    private static String line(int number) {
        return ("line %d ".formatted(number) + "x".repeat(LINE_BYTES)).substring(0, LINE_BYTES - 1)
                + "\n";
    }

    @Test
    void a_long_log_keeps_its_beginning_and_end_and_counts_the_bytes_left_out() throws Exception {
        Path path = Files.writeString(folder.resolve("web.log"), "of an earlier start\n");
        LongLog log = new LongLog(ServiceLog.beginning(path));
        try (OutputStream out = Files.newOutputStream(path, StandardOpenOption.APPEND)) {
            for (int number = 0; number < LINES; number++) {
                out.write(line(number).getBytes(US_ASCII));
                if (number % 10_000 == 0) {
                    log.cut();
                    assertThat(blocks(path)).isLessThan(10L << 20);
                }
            }
        }
        assertThat(Files.size(path)).isGreaterThan((long) LINES * LINE_BYTES);
        log.close();

        List<String> lines = Files.readAllLines(path);
        assertThat(Files.size(path)).isBetween(LongLog.TAIL_BYTES, 10L << 20);
        assertThat(lines).startsWith("of an earlier start", line(0).strip());
        assertThat(lines.getLast()).isEqualTo(line(LINES - 1).strip());
        long leftOut = (long) LINES * LINE_BYTES + 20 - Files.size(path);
        assertThat(lines)
                .filteredOn(line -> line.contains("Wallfinder"))
                .containsExactly(
                        "[Wallfinder left out %,d bytes of this log here]".formatted(leftOut));
        assertThat(Files.readString(path)).doesNotContain("\0");
    }

    @Test
    void a_short_log_does_not_change() throws Exception {
        Path path = Files.writeString(folder.resolve("web.log"), line(0));
        LongLog log = new LongLog(new ServiceLog(path, 0));
        Files.writeString(path, line(1).repeat(80_000), StandardOpenOption.APPEND);
        long bytes = Files.size(path);

        log.cut();
        log.close();

        assertThat(Files.size(path)).isEqualTo(bytes);
        assertThat(Files.readString(path)).doesNotContain("Wallfinder");
    }

    /// The bytes that the file occupies on the disk.
    private static long blocks(Path path) throws IOException {
        Process stat = new ProcessBuilder("stat", "--format=%b", path.toString()).start();
        return 512 * Long.parseLong(stat.inputReader().readLine());
    }
}

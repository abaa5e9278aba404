package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PerfDataTest {
    private static final int DAMAGED = 1_000;

    /// `bench/fuzz readers` gives each reader a million.
    private static final int READERS_DAMAGED = 200;

    private static final List<String> NAMES =
            List.of(
                    "sun.gc.collector.0.invocations",
                    "sun.ci.totalTime",
                    "java.property.java.home");

    @TempDir Path folder;

    /// The file of this JVM.
    private static byte[] whole() throws Exception {
        Path own =
                Path.of(
                        "/tmp/hsperfdata_" + System.getProperty("user.name"),
                        Long.toString(ProcessHandle.current().pid()));
        return Files.readAllBytes(own);
    }

    @Test
    void the_figures_of_this_jvm_are_read() {
        try (PerfData data = PerfData.open((int) ProcessHandle.current().pid())) {
            assertThat(data.number("sun.ci.totalTime")).isPositive();
            assertThat(data.number("java.nothing")).isNaN();
            assertThat(data.text("java.property.java.home")).startsWith("/");
            assertThat(data.text("java.nothing")).isEmpty();
        }
    }

    /// Anybody may write such a file, or the logs and dumps that the other readers read.
    @Test
    void damaged_input_ends_no_reader() throws Exception {
        assertThat(new ReadersFuzz(folder).run(READERS_DAMAGED, 1)).hasSize(7);
    }

    @Test
    void a_damaged_file_has_only_figures_that_a_file_can_have() throws Exception {
        byte[] whole = whole();
        Path file = folder.resolve("1");
        int readable = 0;
        for (int seed = 1; seed <= DAMAGED; seed++) {
            Files.write(file, damaged(whole, new SplittableRandom(seed)));
            try (PerfData data = PerfData.open(file.toFile())) {
                if (data != null) {
                    readable++;
                    read(data);
                }
            }
        }
        assertThat(readable).isBetween(DAMAGED / 10, DAMAGED - 1);
    }

    private static void read(PerfData data) {
        for (String name : NAMES) {
            double number = data.number(name);
            assertThat(Double.isNaN(number) || Math.abs(number) <= Math.pow(2, 63)).isTrue();
            assertThat(data.text(name)).hasSizeLessThanOrEqualTo(4_096);
        }
    }

    /// Some numbers become extreme ones, some bytes random ones, and the end may be missing.
    static byte[] damaged(byte[] whole, SplittableRandom random) {
        int length = random.nextInt(4) == 0 ? random.nextInt(whole.length) : whole.length;
        ByteBuffer bytes = ByteBuffer.wrap(Arrays.copyOf(whole, length));
        int[] extremes = {
            Integer.MIN_VALUE, -1, 0, 1, 19, length, Integer.MAX_VALUE, Integer.MAX_VALUE - 19
        };
        // Most damage is at the beginning, where the offsets are.
        int most = random.nextBoolean() ? 200 : length;
        for (int i = random.nextInt(6); i >= 0 && length > 8; i--) {
            int at = 4 + random.nextInt(Math.max(1, Math.min(most, length - 8)));
            if (random.nextBoolean()) {
                bytes.putInt(
                        at & ~3, Integer.reverseBytes(extremes[random.nextInt(extremes.length)]));
            } else {
                bytes.put(at, (byte) random.nextInt());
            }
        }
        return bytes.array();
    }

    /// The JVM, or somebody else, cuts the file between two readings.
    @Test
    void a_file_that_has_become_shorter_has_no_figures() throws Exception {
        Path file = Files.write(folder.resolve("1"), whole());
        try (PerfData data = PerfData.open(file.toFile())) {
            Files.write(file, Arrays.copyOf(whole(), 64), StandardOpenOption.TRUNCATE_EXISTING);
            data.read();
            read(data);
            assertThat(data.number("sun.ci.totalTime")).isNaN();
        }
    }
}

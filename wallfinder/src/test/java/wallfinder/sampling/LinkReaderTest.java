package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.linux.Links;
import wallfinder.observation.End;
import wallfinder.observation.LinkFigure;

class LinkReaderTest {
    private static final Path PROC_NET = Path.of("/proc/self/net");

    @TempDir Path folder;

    @Test
    void every_link_but_the_loopback_has_its_bytes() {
        List<Links.Link> links = real();
        try (LinkReader reader = new LinkReader(PROC_NET, End.SERVER)) {
            Map<String, Double> read = Readings.of(reader);
            assertThat(read.keySet())
                    .noneMatch(name -> name.contains("[lo]"))
                    .hasSizeLessThanOrEqualTo(64);
            assertThat(links)
                    .filteredOn(link -> hasBytes(read, link))
                    .hasSize(Math.min(LinkReader.LINKS_MAX, links.size()));
        }
    }

    private static boolean hasBytes(Map<String, Double> read, Links.Link link) {
        return Stream.of(LinkFigure.RECEIVED, LinkFigure.SENT)
                .mapToDouble(figure -> read.getOrDefault(figure.of(link.name()).text(), Double.NaN))
                .allMatch(bytes -> bytes >= 0);
    }

    /// A host without a network has none.
    private static List<Links.Link> real() {
        try (Links links = Links.open(Path.of("/proc/self/ns/net"))) {
            return links.links().stream().filter(link -> !link.name().equals("lo")).toList();
        }
    }

    private void device(Links.Link link, String index, String speed) throws Exception {
        Path device = Files.createDirectories(folder.resolve(link.name()));
        Files.createDirectories(device.resolve("device"));
        Files.writeString(device.resolve("ifindex"), index + "\n");
        Files.writeString(device.resolve("address"), link.address() + "\n");
        Files.writeString(device.resolve("speed"), speed + "\n");
    }

    private double speed(Links.Link link) {
        try (LinkReader reader = new LinkReader(PROC_NET, folder, System::nanoTime, End.SERVER)) {
            return Readings.of(reader).getOrDefault(LinkFigure.SPEED.of(link.name()).text(), -1.0);
        }
    }

    @Test
    void a_speed_counts_only_if_it_is_known_and_of_the_same_link() throws Exception {
        List<Links.Link> links = real();
        assumeFalse(links.isEmpty(), "this host has no link but the loopback");
        Links.Link link = links.getFirst();
        device(link, Integer.toString(link.index()), "1000");
        assertThat(speed(link)).isEqualTo(125e6);
        device(link, Integer.toString(link.index() + 1), "1000");
        assertThat(speed(link)).isNaN();
        device(link, Integer.toString(link.index()), "-1");
        assertThat(speed(link)).isNaN();
        device(link, Integer.toString(link.index()), "1000");
        Files.delete(folder.resolve(link.name()).resolve("device"));
        assertThat(speed(link)).isNaN();
    }
}

package wallfinder.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LinksTest {
    @Test
    void the_loopback_is_a_link_of_this_namespace() {
        try (Links links = Links.open(Path.of("/proc/self/ns/net"))) {
            assertThat(links.links())
                    .anySatisfy(link -> {
                        assertThat(link.name()).isEqualTo("lo");
                        assertThat(link.address()).isEqualTo("00:00:00:00:00:00");
                        assertThat(link.index()).isPositive();
                    });
        }
    }

    private static void tc(String arguments) throws Exception {
        Process tc = new ProcessBuilder(("tc " + arguments).split(" ")).inheritIO().start();
        assertThat(tc.waitFor()).as(arguments).isZero();
    }

    @Test
    @Tag("sandbox")
    void shapers_of_another_namespace_have_the_rates_that_tc_gave_them() throws Exception {
        assumeTrue(
                new ProcessBuilder("sh", "-c", "command -v tc").start().waitFor() == 0,
                "SKIPPED: no tc here");
        FutureTask<Integer> inside =
                new FutureTask<>(() -> {
                    Namespaces.unshareNetwork();
                    int descriptor = Namespaces.openNetwork();
                    tc("qdisc add dev lo root handle 1: htb default 10");
                    tc("class add dev lo parent 1: classid 1:10 htb rate 8mbit ceil 40mbit");
                    tc(
                            "qdisc add dev lo parent 1:10 handle 7: tbf rate 16mbit burst 9kb limit 9kb");
                    return descriptor;
                });
        Thread.ofPlatform().start(inside);
        int descriptor = inside.get(20, TimeUnit.SECONDS);
        try (Links links = Links.open(Path.of("/proc/self/fd/" + descriptor))) {
            assertThat(links.shapers())
                    .extracting(Links.Shaper::name, Links.Shaper::rateBytes)
                    .containsExactlyInAnyOrder(
                            tuple("htb 1:10", 5_000_000L), tuple("tbf 7:", 2_000_000L));
            assertThat(links.shapers())
                    .allSatisfy(shaper -> {
                        assertThat(shaper.sentBytes()).isZero();
                        assertThat(shaper.drops()).isZero();
                    });
        } finally {
            Namespaces.close(descriptor);
        }
    }
}

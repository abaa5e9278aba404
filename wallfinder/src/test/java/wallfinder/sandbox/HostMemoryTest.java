package wallfinder.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// What is left of the memory of this host.
class HostMemoryTest {
    @Test
    void what_open_sockets_have_of_the_slab_is_not_left() {
        HostMemory before = new HostMemory(24_000, 40);
        assertThat(new HostMemory(9_000, 5_040).leftSince(before)).isEqualTo(4_000);
        assertThat(new HostMemory(24_100, 20).leftSince(before)).isEqualTo(24_100);
    }

    @Test
    void this_host_tells_both() {
        HostMemory now = HostMemory.read();
        assertThat(now).isNotNull();
        assertThat(now.availableBytes()).isGreaterThan(1L << 20);
        assertThat(now.reclaimableBytes()).isPositive();
    }
}

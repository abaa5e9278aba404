package wallfinder.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HostMemoryTest {
    @Test
    void the_slab_memory_of_open_sockets_does_not_count_as_left() {
        HostMemory before = new HostMemory(24_000, 40);
        assertThat(new HostMemory(9_000, 5_040).leftSince(before)).isEqualTo(4_000);
        assertThat(new HostMemory(24_100, 20).leftSince(before)).isEqualTo(24_100);
    }

    @Test
    void both_values_of_this_host_are_read() {
        HostMemory now = HostMemory.read();
        assertThat(now).isNotNull();
        assertThat(now.availableBytes()).isGreaterThan(1L << 20);
        assertThat(now.reclaimableBytes()).isPositive();
    }
}

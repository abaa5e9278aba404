package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlacesTest {
    /// A socket that listens on all addresses gets what no other one listens on.
    @Test
    void a_listener_on_the_very_address_goes_before_one_on_all() {
        InetSocketAddress all = new InetSocketAddress("0.0.0.0", 80);
        InetSocketAddress first = new InetSocketAddress("127.0.0.1", 80);
        InetSocketAddress second = new InetSocketAddress("127.0.0.2", 80);
        Listeners.Places wide = new Listeners.Places(List.of(80), Set.of(all), Set.of(first));
        assertThat(wide.serves(first)).isFalse();
        assertThat(wide.serves(second)).isTrue();
        Listeners.Places narrow = new Listeners.Places(List.of(80), Set.of(first), Set.of(all));
        assertThat(narrow.serves(first)).isTrue();
        assertThat(narrow.serves(second)).isFalse();
    }
}

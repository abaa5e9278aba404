package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.observation.End;

class LimitTest {
    private static Limit limit(double needs, double hitAt, boolean decides) {
        return new Limit(
                "ephemeral-ports",
                End.CLIENT,
                hitAt,
                Double.NaN,
                needs,
                hitAt,
                "connections",
                false,
                decides,
                "net.ipv4.ip_local_port_range",
                "/proc/sys",
                null,
                List.of("widen the range", "more addresses"));
    }

    @ParameterizedTest
    @CsvSource({
        "300, 400, 0.75, true",
        "400, 400, 1, true",
        "401, 400, 1.0025, false",
        "5, 0, Infinity, false",
        "0, 0, NaN, true",
        "NaN, 400, NaN, true"
    })
    void a_plan_fits_unless_it_surely_needs_more(
            double needs, double hitAt, Double share, boolean fits) {
        Limit limit = limit(needs, hitAt, true);
        assertThat(Double.valueOf(limit.share())).isEqualTo(share);
        assertThat(limit.fits()).isEqualTo(fits);
        assertThat(limit.stops()).isEqualTo(!fits);
        assertThat(limit(needs, hitAt, false).stops()).isFalse();
    }

    @Test
    void what_would_move_the_limit_of_another_host_is_done_there() {
        Limit limit = limit(500, 400, true);
        assertThat(limit.on("b").moves())
                .containsExactly("on b: widen the range", "on b: more addresses");
        assertThat(limit.on("b").share()).isEqualTo(limit.share());
    }
}

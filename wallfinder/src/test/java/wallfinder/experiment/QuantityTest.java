package wallfinder.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class QuantityTest {
    @ParameterizedTest
    @CsvSource({"64, 64", "10k, 10000", "1.5M, 1500000", "2m, 2000000", "1G, 1000000000", "0, 0"})
    void counts_take_si_suffixes_in_either_case(String text, long count) {
        assertThat(Quantity.count(text)).isEqualTo(count);
    }

    @ParameterizedTest
    @CsvSource({
        "250us, PT0.00025S",
        "500ms, PT0.5S",
        "30s, PT30S",
        "1.5s, PT1.5S",
        "5m, PT5M",
        "1h, PT1H",
        "10, PT10S"
    })
    void durations_take_units_and_a_bare_number_is_seconds(String text, Duration duration) {
        assertThat(Quantity.duration(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(strings = {"512m", "512M", "512MB", "512Mi", "512MiB", "0.5g", "536870912"})
    void suffixes_of_bytes_are_binary_however_they_are_written(String text) {
        assertThat(Quantity.bytes(text)).isEqualTo(512L << 20);
    }

    @Test
    void shares_are_percentages_and_cpus_may_be_thousandths() {
        assertThat(Quantity.share("0.1%")).isEqualTo(0.001);
        assertThat(Quantity.cpus("500m")).isEqualTo(0.5);
        assertThat(Quantity.cpus("1.5")).isEqualTo(1.5);
        assertThat(Quantity.number("2.5k")).isEqualTo(2_500);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "k", "-5", "1,5", "10x", "1e3", "NaN", "1.5", "99999999999G"})
    void an_invalid_count_is_refused_with_an_example(String text) {
        assertRefused(Quantity::count, text);
    }

    @Test
    void an_invalid_quantity_is_refused_with_an_example() {
        List.of("10kb", "forever", "9999999999h", "1d")
                .forEach(t -> assertRefused(Quantity::duration, t));
        List.of("1.5", "12s", "9999999t").forEach(t -> assertRefused(Quantity::bytes, t));
        List.of("0.1", "5").forEach(t -> assertRefused(Quantity::share, t));
    }

    @Test
    void a_long_text_is_refused_at_once() {
        assertRefused(Quantity::count, "9".repeat(1_000_000));
    }

    private static void assertRefused(Function<String, Object> reader, String text) {
        UsageException error = catchThrowableOfType(UsageException.class, () -> reader.apply(text));

        assertThat(error).as("'%s'", text).isNotNull();
        assertThat(error.getMessage()).hasSizeLessThan(200);
        assertThat(error.todo()).startsWith("Write it as ");
    }
}

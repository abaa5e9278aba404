package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.linux.Memory;

class CookiesTest {
    private final Cookies cookies = new Cookies();

    private void set(String line) {
        cookies.begin();
        (line + "\r\n").chars().forEach(cookies::read);
    }

    private String sent() {
        long memory = Memory.map(Cookies.HEADER_BYTES_MAX);
        try {
            int length = (int) (cookies.write(memory) - memory);
            return new String(Memory.getBytes(memory, length), StandardCharsets.ISO_8859_1);
        } finally {
            Memory.unmap(memory, Cookies.HEADER_BYTES_MAX);
        }
    }

    @Test
    void the_last_value_of_a_name_is_kept() {
        assertThat(sent()).isEmpty();
        set("a=1; Path=/");
        set(" b=\"2=3\" ; Secure");
        set("ab=4");
        set("a=5");
        assertThat(sent()).isEqualTo("Cookie: b=\"2=3\"; ab=4; a=5\r\n");
        set("b=;HttpOnly");
        assertThat(sent()).isEqualTo("Cookie: ab=4; a=5; b=\r\n");
    }

    @ParameterizedTest
    @CsvSource({"a=1; Max-Age=0", "a=; path=/;MAX-AGE=-1; x", "a=x; max-age=0"})
    void a_max_age_of_zero_removes_a_cookie(String line) {
        set("a=1; Max-Age=3600");
        set("b=2; XMax-Age=0; Expires=Max-Age=0");
        assertThat(sent()).isEqualTo("Cookie: a=1; b=2\r\n");
        set(line);
        assertThat(sent()).isEqualTo("Cookie: b=2\r\n");
    }

    @ParameterizedTest
    @CsvSource({"''", "=1", "novalue", "; a=1", "a\tb=1", "a=\u0001x"})
    void malformed_cookies_are_ignored(String line) {
        set("k=1");
        set(line);
        assertThat(sent()).isEqualTo("Cookie: k=1\r\n");
    }

    @Test
    void a_cookie_that_does_not_fit_is_dropped_and_the_others_stay() {
        for (int i = 0; i < 10_000; i++) {
            set("name" + i + "=" + "v".repeat(i % 700));
        }
        set("huge=" + "x".repeat(100_000));
        assertThat(sent())
                .startsWith("Cookie: name0=; name1=v; ")
                .doesNotContain("huge")
                .endsWith("\r\n")
                .hasSizeLessThanOrEqualTo(Cookies.HEADER_BYTES_MAX);
        set("name9=n");
        assertThat(sent()).endsWith("; name9=n\r\n").doesNotContain("name9=v");
    }
}

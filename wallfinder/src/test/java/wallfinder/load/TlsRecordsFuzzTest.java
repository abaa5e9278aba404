package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `bench/fuzz` runs a million of these conversations.
@Tag("slow")
class TlsRecordsFuzzTest {
    private static final long CONVERSATIONS = Long.getLong("fuzz.conversations", 2_000);

    @TempDir static Path folder;
    private static Certificates certificates;

    @BeforeAll
    static void make() {
        certificates = TlsRecordsFuzz.certificates(folder);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void spoilt_bytes_are_refused_or_ignored_and_never_passed_on(String version) {
        try (TlsRecordsFuzz fuzz = new TlsRecordsFuzz(certificates, version, 1)) {
            Seeded.cases(1, CONVERSATIONS, fuzz::one);
            TlsRecordsFuzz.Counts counts = fuzz.counts();
            assertThat(counts.conversations()).isEqualTo(CONVERSATIONS);
            assertThat(counts.spoilt).isGreaterThan(CONVERSATIONS / 2);
            assertThat(counts.answered).isGreaterThan(CONVERSATIONS / 10);
            assertThat(counts.refused).isGreaterThan(CONVERSATIONS / 10);
            assertThat(counts.live).isGreaterThan(CONVERSATIONS / 100);
        }
    }
}

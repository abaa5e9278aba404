package wallfinder.lab.fit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.sampling.JvmCensus;

/// Corrections of the profile of simulated services. Their start script makes the heap as large as
/// the limit without the memory outside of it, which the script estimates as 100 MB. All sizes are
/// in megabytes.
class FitCorrectionTest {
    private static final long MB = 1 << 20;
    private static final long STEP = 10;
    private static final long ESTIMATED = 100;
    private static final long LIVE = 40;

    @TempDir private Path folder;
    private final List<String> said = new ArrayList<>();

    /// @param outside the memory outside of the heap
    /// @param filled the most of the heap that the load fills
    private record Service(long outside, long filled) {}

    private Path profile() {
        return folder.resolve("profile");
    }

    private long written(String name, long otherwise) {
        try {
            Matcher line =
                    Pattern.compile("\n" + name + "=(\\d+)\n").matcher(Files.readString(profile()));
            return line.find() ? Long.parseLong(line.group(1)) : otherwise;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private FitTrial trial(Service service, long limit, long heap) {
        long committed = Math.min(heap, service.filled);
        long peak = service.outside + committed;
        return FitSearchTest.trial(limit, heap >= LIVE && peak <= limit, peak, heap, committed);
    }

    private FitTrial scripted(Service service, long limit) {
        long outside = written("outside-mb", ESTIMATED + written("direct-mb", 0));
        return trial(service, limit, limit - outside);
    }

    private @Nullable FitSearch corrected(Service service, boolean followed) {
        JvmCensus census = new JvmCensus(4000, LIVE * MB, LIVE * MB, MB, Double.NaN, 400.0 * MB);
        FitTrial calibration = trial(service, 500, 400).with(census);
        FitProfile.write(profile(), FitProfile.text(calibration, census));
        FitPrediction prediction = new FitPrediction(STEP * MB, LIVE * MB);
        FitSearch search =
                new FitSearch(
                        STEP * MB,
                        prediction,
                        List.of(calibration),
                        limit -> scripted(service, limit / MB));
        search.run(calibration.limitBytes());
        long fixed = search.smallest() / MB - ESTIMATED;
        return new FitCorrection(
                        calibration,
                        prediction,
                        profile(),
                        limit ->
                                followed
                                        ? scripted(service, limit / MB)
                                        : trial(service, limit / MB, fixed),
                        said::add)
                .after(search);
    }

    /// The JVM uses 140 MB outside of its heap, and the load does not fill a heap of 100 MB.
    @Test
    void memory_that_the_script_does_not_know_is_added_to_the_profile() {
        FitSearch again = corrected(new Service(140, 60), true);
        assertThat(said)
                .containsExactly(
                        "  a full heap would need 40 MB more, and the profile now says so");
        assertThat(written("direct-mb", 0)).isEqualTo(43);
        assertThat(again).isNotNull();
        assertThat(again.smallest()).isEqualTo(190 * MB);
        assertThat(again.verified()).isTrue();
        FitRemainder full = FitRemainder.of(again.at(190 * MB));
        assertThat(full.bytes()).as("what a full heap leaves").isBetween(0.0, 10.0 * MB);
    }

    @Test
    void memory_that_the_script_reserves_for_nothing_makes_the_heap_larger() {
        FitSearch again = corrected(new Service(70, 400), true);
        assertThat(said).containsExactly("  30 MB of it are unused, and the profile now says so");
        assertThat(written("outside-mb", 0)).isEqualTo(73);
        assertThat(again).isNotNull();
        assertThat(again.smallest()).isEqualTo(120 * MB);
    }

    @Test
    void a_script_that_does_not_read_the_profile_leaves_it_as_it_was() {
        for (Service service : List.of(new Service(140, 60), new Service(70, 400))) {
            assertThat(corrected(service, false)).isNull();
            assertThat(said).endsWith("  that changes nothing");
            assertThat(profile()).content().doesNotContain("direct-mb", "outside-mb");
        }
    }

    @Test
    void an_estimate_that_is_right_is_not_corrected() {
        assertThat(corrected(new Service(99, 400), true)).isNull();
        assertThat(said).isEmpty();
    }

    /// The heap was 50 MB at the peak, and may grow to 80 MB.
    @Test
    void the_rest_of_a_heap_that_has_not_grown_is_not_outside_of_it() {
        FitTrial trial = FitSearchTest.trial(200, true, 150, 80, 50);
        FitRemainder remainder = FitRemainder.of(List.of(trial));
        assertThat(remainder.outsideBytes()).isEqualTo(100 * MB + FitRemainder.MARGIN);
        assertThat(remainder.bytes()).isEqualTo(20 * MB);
        FitTrial unknown = FitSearchTest.trial(200, true, 150, 80, Double.NaN);
        assertThat(FitRemainder.of(List.of(unknown)).outsideBytes())
                .isEqualTo(70 * MB + FitRemainder.MARGIN);
    }
}

package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import wallfinder.observation.CpuWindow;
import wallfinder.observation.CpuWindow.Frame;
import wallfinder.observation.CpuWindow.SampledAllocation;

class AllocationProfileTest {
    private static final Frame COPY = new Frame("java.util.Arrays", "copyOf", false);
    private static final Frame PARSE = new Frame("org.app.Parser", "parse", false);
    private static final Frame HANDLE = new Frame("org.app.Handler", "handle", false);

    private static CpuWindow window(double answers, SampledAllocation... allocations) {
        return new CpuWindow(
                2, answers, List.of(), Map.of(), Map.of(), Map.of(), List.of(allocations), 0);
    }

    private static SampledAllocation of(String type, long bytes, Frame... frames) {
        return new SampledAllocation(type, List.of(frames), bytes);
    }

    @Test
    void bytes_are_divided_by_who_allocates_outside_of_the_jdk_and_by_class() {
        AllocationProfile profile =
                AllocationProfile.of(
                                List.of(
                                        window(
                                                100,
                                                of("byte[]", 6_000, COPY, PARSE, HANDLE),
                                                of("int[]", 2_000, HANDLE)),
                                        window(300, of("byte[]", 4_000, PARSE, HANDLE)),
                                        window(0)))
                        .orElseThrow();
        assertThat(profile.bytesPerSecond()).isEqualTo(2_000);
        assertThat(profile.bytesPerAnswer()).isEqualTo(30);
        assertThat(profile.samples()).isEqualTo(3);
        assertThat(profile.methods())
                .extracting(AllocationProfile.Allocated::name)
                .containsExactly("org.app.Parser.parse", "org.app.Handler.handle");
        assertThat(profile.types())
                .extracting(
                        AllocationProfile.Allocated::name,
                        allocated -> Math.round(1_000 * allocated.share().mean()))
                .containsExactly(tuple("byte[]", 833L), tuple("int[]", 167L));
        assertThat(profile.types().getFirst().share().low()).isLessThan(0.83);
        assertThat(profile.types().getFirst().share().high()).isCloseTo(1, within(0.17));
    }

    @Test
    void a_program_that_allocates_nothing_has_no_profile_of_it() {
        assertThat(AllocationProfile.of(List.of(window(5), window(6)))).isEmpty();
    }
}

package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import wallfinder.observation.End;
import wallfinder.record.SampleRun;

class AdviceTest {
    private static final String COMMAND = "wallfinder profile";

    static Stream<Wall> profiled() {
        return Stream.of(new Cpu(), new Gc());
    }

    @ParameterizedTest
    @MethodSource("profiled")
    void below_a_profile_nobody_is_advised_to_make_one(Wall wall) {
        Judgement.Binds binds = new Judgement.Binds(wall, End.SERVER, Harm.THROUGHPUT, List.of());
        List<Advice> advice =
                wall.advice(binds, SampleRun.fullLadder().trials().getFirst().observation());
        assertThat(advice).extracting(Advice::command).anyMatch(text -> text.contains(COMMAND));
        assertThat(advice)
                .map(Advice::belowProfile)
                .extracting(Advice::command)
                .noneMatch(text -> text.contains(COMMAND))
                .anyMatch(text -> text.contains("profile"));
    }
}

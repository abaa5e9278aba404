package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import wallfinder.experiment.WallId;

class WallsTest {
    @Test
    void each_id_has_its_wall_and_each_wall_its_place() {
        assertThat(Walls.ALL).extracting(Wall::id).containsExactlyInAnyOrder(WallId.values());
        assertThat(Walls.ALL)
                .extracting(Object::getClass)
                .containsExactlyInAnyOrder(Wall.class.getPermittedSubclasses());
    }

    @Test
    void a_cause_goes_before_its_effect() {
        for (Walls.Cause row : Walls.CAUSES) {
            assertThat(Walls.ALL.indexOf(Walls.of(row.cause())))
                    .as(row.because())
                    .isLessThan(Walls.ALL.indexOf(Walls.of(row.effect())));
        }
    }
}

package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import wallfinder.observation.End;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.WaitFigure;

/// [BlockedOutput] and [DiskIo].
class WaitingThreadsTest {
    private enum Waits {
        OUTPUT("blocked-output", WaitFigure.OUTPUT),
        DISK("disk-io", WaitFigure.DISK);

        private final String wall;
        private final WaitFigure figure;

        Waits(String wall, WaitFigure figure) {
            this.wall = wall;
            this.figure = figure;
        }

        /// 64 connections and 1,000 answers/s, so 64 ms for an answer, of which one waiting thread
        /// is 1 ms. Alone it is 15 ms.
        Recorded threads(double waiting, double alone) {
            return Recorded.healthy()
                    .connections(64)
                    .responseMillis(64, 10_000)
                    .unloadedMillis(15)
                    .cpuShare(0.1)
                    .level(ListenFigure.UNREAD.of(8080), End.SERVER, 0)
                    .level(figure.of("users"), End.SERVER, waiting)
                    .levelAlone(figure.of("users"), alone);
        }
    }

    @ParameterizedTest
    @EnumSource
    void threads_that_wait_longer_than_alone_are_named(Waits waits) {
        Diagnosis diagnosis = waits.threads(50, 0).diagnosed();
        assertThat(diagnosis.wallId()).contains(waits.wall);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.headline().evidence().getFirst().name())
                .isEqualTo("budget." + waits.figure.name().toLowerCase(Locale.ROOT));
        assertThat(diagnosis.also()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void one_thread_that_waits_with_a_lock_is_named_if_the_others_wait_for_the_lock(Waits waits) {
        Recorded locked = waits.threads(0.9, 0).level(WaitFigure.LOCK.of("users"), End.SERVER, 48);
        assertThat(locked.diagnosed().wallId()).contains(waits.wall);
    }

    @ParameterizedTest
    @EnumSource
    void a_thread_that_seldom_waits_is_not_the_cause_of_a_lock(Waits waits) {
        Recorded locked = waits.threads(0.2, 0).level(WaitFigure.LOCK.of("users"), End.SERVER, 48);
        assertThat(locked.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(locked.diagnosed().seen()).contains("waits for another thread");
    }

    /// Alone 10 ms of 15, and 14 ms of 64 under load.
    @ParameterizedTest
    @EnumSource
    void threads_that_wait_about_as_long_as_alone_are_not_named(Waits waits) {
        Diagnosis diagnosis = waits.threads(14, 0.5).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.seen()).contains("not explained");
    }

    @ParameterizedTest
    @EnumSource
    void a_busy_cpu_explains_the_wait(Waits waits) {
        assertThat(waits.threads(50, 0).cpuShare(0.99).diagnosed().wallId()).contains("cpu");
    }
}

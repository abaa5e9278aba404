package wallfinder.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.List;
import org.junit.jupiter.api.Test;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.FailureFigure;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

class PageEventsTest {
    private static final int[] AT = {0, 1, 2, 3};
    private static final double[] SECONDS = {0, 0.5, 1, 2};

    private static Series series(Key key, End end, double... values) {
        return new Series(new Counter(key, end, "test"), values);
    }

    private static PageEvents events(Series... series) {
        return new PageEvents(
                new Timeline(
                        new long[] {0, 500_000_000, 1_000_000_000, 2_000_000_000}, List.of(series)),
                AT);
    }

    @Test
    void failures_are_a_rate_for_each_kind_that_occurred() {
        PageEvents events =
                events(
                        series(FailureFigure.COUNT.of(ErrorKind.CLOSED), End.CLIENT, 7, 7, 12, 12),
                        series(FailureFigure.COUNT.of(ErrorKind.RESET), End.CLIENT, 3, 3, 3, 3));
        assertThat(events.failures(SECONDS)).containsOnlyKeys("closed");
        assertThat(events.failures(SECONDS).get("closed")).containsExactly(0, 10, 0);
    }

    /// The service's figure already has those of its JVMs.
    @Test
    void events_are_counted_in_the_interval_in_which_they_occurred() {
        PageEvents events =
                events(
                        series(JvmFigure.PAUSES.of("users"), End.SERVER, 1, 3, 3, 4),
                        series(JvmFigure.PAUSES.of("users#1"), End.SERVER, 1, 3, 3, 4),
                        series(CgroupFigure.THROTTLED_PERIODS.of("users"), End.SERVER, 0, 0, 0, 0),
                        series(ProcessFigure.ENDED.of("users"), End.SERVER, 0, 0, 1, 1),
                        series(ProcessFigure.ENDED.of("load"), End.CLIENT, 0, 1, 1, 1),
                        series(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 0, 0, 81, 81),
                        series(KernelCounter.LISTEN_OVERFLOWS, End.CLIENT, 0, 5, 81, 81));
        assertThat(events.marks())
                .containsExactly(
                        entry("collections", List.of(List.of(0L, 2L), List.of(2L, 1L))),
                        entry("processes that ended", List.of(List.of(1L, 1L))),
                        entry("dropped handshakes", List.of(List.of(1L, 81L))));
    }

    @Test
    void a_reading_that_is_missing_delays_an_event() {
        PageEvents events =
                events(
                        series(
                                KernelCounter.LISTEN_OVERFLOWS,
                                End.SERVER,
                                0,
                                Double.NaN,
                                Double.NaN,
                                4));
        assertThat(events.marks())
                .containsExactly(entry("dropped handshakes", List.of(List.of(2L, 4L))));
    }
}

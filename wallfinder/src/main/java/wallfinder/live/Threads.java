package wallfinder.live;

import java.util.ArrayList;
import java.util.List;
import wallfinder.observation.End;
import wallfinder.observation.Figure;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;
import wallfinder.observation.WaitFigure;

/// How many threads of a service are in a state now.
///
/// @param state such as `wait for another thread`
public record Threads(String service, String state, double count) {
    private record State(Figure figure, String text) {}

    private static final List<State> STATES =
            List.of(
                    new State(ProcessFigure.THREADS, "threads in all"),
                    new State(ProcessFigure.RECEIVING, "alike threads that wait for the network"),
                    new State(ProcessFigure.QUEUEING, "of the same group that wait for a thread"),
                    new State(WaitFigure.LOCK, "wait for another thread"),
                    new State(WaitFigure.SAME_FUTEX, "of these at one lock"),
                    new State(WaitFigure.SLEEP, "wait for a time to pass"),
                    new State(WaitFigure.DISK, "wait for a file"),
                    new State(WaitFigure.PAGE, "wait for a page of their memory"),
                    new State(WaitFigure.OUTPUT, "wait for the reader of a pipe or terminal"),
                    new State(WaitFigure.TRANSMIT, "wait for room in a send buffer"));

    /// The newest states of all services, in a fixed order.
    public static List<Threads> of(Timeline timeline) {
        List<Threads> all = new ArrayList<>();
        for (State state : STATES) {
            timeline.all(state.figure(), End.SERVER)
                    .filter(series -> Double.isFinite(series.last()))
                    .map(series -> of(state, series))
                    .forEach(all::add);
        }
        return List.copyOf(all);
    }

    private static Threads of(State state, Series series) {
        return new Threads(series.subject(), state.text(), series.last());
    }
}

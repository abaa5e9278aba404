package wallfinder.sampling;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import wallfinder.observation.Counter;
import wallfinder.observation.DependencyFigure;
import wallfinder.observation.End;
import wallfinder.observation.Key;

/// Two columns for each destination of a service: its connections, and those that wait for an
/// answer. A service may open a connection for each request, so a destination may be seen only
/// under load: it gets its columns then.
final class DependencyColumns {
    /// The beginning of the name of columns that no destination has yet.
    private static final String UNSEEN = "#";

    /// Of more destinations, the later ones have no figures of their own.
    static final int DESTINATIONS_MAX = 4;

    private static final int COLUMNS = 2;

    private final End end;
    private final String source;
    private final Destinations destinations;
    private final List<String> seen;
    private final int places;

    /// @param destinations as they are now
    /// @param later whether destinations may be seen later
    DependencyColumns(End end, String source, Destinations destinations, boolean later) {
        this.end = end;
        this.source = source;
        this.destinations = destinations;
        seen = new ArrayList<>(destinations.most(DESTINATIONS_MAX));
        places = later ? DESTINATIONS_MAX : seen.size();
    }

    List<Counter> counters() {
        return IntStream.range(0, places).boxed().flatMap(this::counters).toList();
    }

    /// The counters of those destinations that were seen.
    List<Counter> found() {
        return IntStream.range(0, seen.size()).boxed().flatMap(this::counters).toList();
    }

    private Stream<Counter> counters(int place) {
        String name =
                place < seen.size() ? seen.get(place) : UNSEEN + destinations.kind() + (place + 1);
        return Stream.of(
                DependencyFigure.CONNECTIONS.of(name).at(end, source),
                DependencyFigure.BUSY.of(name).at(end, source));
    }

    /// @param known false if the connections were not counted for this sample
    void write(boolean known, double[] values, int from) {
        if (known && seen.size() < places) {
            destinations.most(DESTINATIONS_MAX).stream()
                    .filter(destination -> !seen.contains(destination))
                    .limit(places - seen.size())
                    .forEach(seen::add);
        }
        for (int place = 0; place < places; place++) {
            boolean there = place < seen.size();
            double connected =
                    there ? destinations.connected(seen.get(place)) : destinations.unseen();
            double busy = there ? destinations.busy(seen.get(place)) : destinations.unseen();
            values[from + COLUMNS * place] = known ? connected : Double.NaN;
            values[from + COLUMNS * place + 1] = known ? busy : Double.NaN;
        }
    }

    /// Whether no destination had the columns when they got their names.
    static boolean isUnseen(Counter counter) {
        return counter.key() instanceof Key.Of(DependencyFigure _, String subject)
                && subject.startsWith(UNSEEN);
    }
}

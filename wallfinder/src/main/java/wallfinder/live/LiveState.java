package wallfinder.live;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Fullness;

/// Everything that a frame shows, except the size of the terminal and the time.
///
/// @param command the command line
/// @param startNanos when the run began, on the clock of [System#nanoTime]
/// @param step the part of the run that several measurements belong to, or null
/// @param moment null before the first one
/// @param courses the last values of each gauge and each limit's share, the newest last
/// @param focus what a user with keys looks at, or null if there are no keys
@SuppressWarnings("ArrayRecordComponent") // read-only by convention
public record LiveState(
        String command,
        long startNanos,
        @Nullable Step step,
        @Nullable Moment moment,
        Map<String, double[]> courses,
        @Nullable Focus focus) {
    /// A line of a wide terminal has fewer cells.
    private static final int COURSE_MAX = 240;

    /// Limits whose shares differ by less keep their order, so that lines do not jump.
    private static final double SAME_SHARE = 0.03;

    public static LiveState begin(String command, long startNanos) {
        return new LiveState(command, startNanos, null, null, Map.of(), null);
    }

    public LiveState with(@Nullable Step newStep) {
        return new LiveState(command, startNanos, newStep, moment, courses, focus);
    }

    public LiveState with(@Nullable Focus newFocus) {
        return new LiveState(command, startNanos, step, moment, courses, newFocus);
    }

    public LiveState with(Moment newMoment) {
        Map<String, double[]> longer = new HashMap<>(courses);
        newMoment.gauges().forEach(gauge -> add(longer, gauge.name(), gauge.value()));
        newMoment.limits().forEach(limit -> add(longer, key(limit), limit.share()));
        List<Fullness> before = moment == null ? List.of() : moment.limits();
        Moment calm =
                new Moment(
                        newMoment.doing(),
                        newMoment.time(),
                        newMoment.gauges(),
                        calmed(before, newMoment.limits()),
                        newMoment.threads());
        return new LiveState(command, startNanos, step, calm, Map.copyOf(longer), focus);
    }

    private static void add(Map<String, double[]> courses, String name, double value) {
        double[] course = courses.getOrDefault(name, new double[0]);
        int from = Math.max(0, course.length + 1 - COURSE_MAX);
        double[] longer = Arrays.copyOfRange(course, from, course.length + 1);
        longer[longer.length - 1] = value;
        courses.put(name, longer);
    }

    static String key(Fullness limit) {
        return "limit " + limit.end() + " " + limit.limit();
    }

    double[] course(String name) {
        return courses.getOrDefault(name, new double[0]);
    }

    /// The limits in their last order, each moved up past those that it clearly exceeds.
    private static List<Fullness> calmed(List<Fullness> before, List<Fullness> now) {
        List<String> last = before.stream().map(LiveState::key).toList();
        List<Fullness> calm = new ArrayList<>();
        now.stream()
                .sorted((a, b) -> Integer.compare(place(last, a), place(last, b)))
                .forEach(limit -> calm.add(placeFor(limit, calm), limit));
        return List.copyOf(calm);
    }

    private static int place(List<String> last, Fullness limit) {
        int place = last.indexOf(key(limit));
        return place < 0 ? Integer.MAX_VALUE : place;
    }

    private static int placeFor(Fullness limit, List<Fullness> calm) {
        int place = calm.size();
        while (place > 0 && limit.share() > calm.get(place - 1).share() + SAME_SHARE) {
            place--;
        }
        return place;
    }
}

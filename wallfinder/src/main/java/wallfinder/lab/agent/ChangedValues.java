package wallfinder.lab.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.Counter;

/// Makes a message of each sample, with the values that changed since the one before.
final class ChangedValues {
    private double @Nullable [] before;

    Message.Sample sample(long nanos, double[] row, boolean last) {
        double[] known = before;
        int[] columns = new int[row.length];
        double[] values = new double[row.length];
        int count = 0;
        for (int i = 0; i < row.length; i++) {
            if (known == null || Double.compare(known[i], row[i]) != 0) {
                columns[count] = i;
                values[count++] = row[i];
            }
        }
        before = row;
        return new Message.Sample(
                nanos, last, Arrays.copyOf(columns, count), Arrays.copyOf(values, count));
    }

    /// The places of some counters among all.
    static List<Integer> places(List<Counter> all, Set<Counter> some) {
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            if (some.contains(all.get(i))) {
                places.add(i);
            }
        }
        return places;
    }
}

package wallfinder.load;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.stream.IntStream;

/// The order of a round in which each index has as many turns as its weight, spread evenly. Weights
/// of 3 and 1 give 0 0 1 0.
final class WeightedRoundRobin {
    private WeightedRoundRobin() {}

    /// The indices of the weights in the order of their turns.
    static int[] round(int[] weights) {
        int divisor = IntStream.of(weights).reduce(0, WeightedRoundRobin::commonDivisor);
        int length = IntStream.of(weights).map(weight -> weight / divisor).sum();
        PriorityQueue<Next> queue = new PriorityQueue<>(Next.ORDER);
        for (int i = 0; i < weights.length; i++) {
            queue.add(new Next(i, weights[i] / divisor, 0));
        }
        int[] round = new int[length];
        for (int turn = 0; turn < length; turn++) {
            Next next = queue.remove();
            round[turn] = next.index;
            queue.add(new Next(next.index, next.weight, next.had + 1));
        }
        return round;
    }

    private static int commonDivisor(int a, int b) {
        return b == 0 ? a : commonDivisor(b, a % b);
    }

    /// The next turn of an index that has had some turns.
    private record Next(int index, int weight, int had) {
        static final Comparator<Next> ORDER =
                Comparator.comparingDouble(Next::place).thenComparingInt(Next::index);

        /// The middle of its part of the round.
        double place() {
            return (had + 0.5) / weight;
        }
    }
}

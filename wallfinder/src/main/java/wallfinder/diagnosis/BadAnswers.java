package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.LoadOutcome;

/// Describes answers that the load does not expect.
final class BadAnswers {
    private static final int STATUSES_MAX = 3;

    private BadAnswers() {}

    /// `answers 500 to 12 % of the requests`; the most frequent status comes first.
    static String describe(LoadOutcome load) {
        List<String> phrases = new ArrayList<>();
        load.answers().badStatuses().entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
                .limit(STATUSES_MAX)
                .forEach(status ->
                        phrases.add(status.getKey() + " to " + share(load, status.getValue())));
        long bodies = load.errors(ErrorKind.UNEXPECTED_BODY);
        if (bodies > 0) {
            phrases.add("without the expected text to " + share(load, bodies));
        }
        return phrases.isEmpty()
                ? "answers badly to %s of the requests".formatted(share(load, load.bad()))
                : "answers %s of the requests".formatted(String.join(", ", phrases));
    }

    private static String share(LoadOutcome load, long count) {
        double share = Symptoms.share(count, load.answered() + (double) load.networkErrors());
        return share < 0.01 ? "%.2f %%".formatted(share * 100) : EvidenceFigures.percent(share);
    }
}

package wallfinder.record;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Budget;
import wallfinder.observation.Observation;

/// Writes the parts of an answer's time into `run.json`.
final class BudgetJson {
    private BudgetJson() {}

    /// @return null if the time of an answer cannot be divided
    static @Nullable Map<String, @Nullable Object> of(Observation observation) {
        return Budget.of(observation).map(BudgetJson::of).orElse(null);
    }

    private static Map<String, @Nullable Object> of(Budget budget) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("aloneMicros", budget.alone() == null ? null : micros(budget.alone()));
        json.put("loadedMicros", micros(budget.loaded()));
        json.put("explainedShare", Rounded.to(3, budget.loaded().explainedShare()));
        return json;
    }

    private static Map<String, @Nullable BigDecimal> micros(Budget.Parts parts) {
        Map<String, @Nullable BigDecimal> micros = new LinkedHashMap<>();
        parts.shares().forEach(share -> micros.put(share.key(), Rounded.to(1, share.micros())));
        return micros;
    }
}

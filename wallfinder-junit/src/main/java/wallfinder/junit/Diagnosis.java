package wallfinder.junit;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What one trial concludes.
///
/// @param wall the headline; null if the verdict is neither *named* nor *invalid*
/// @param end where the wall is; null without a wall
/// @param harm what the wall does; null without a wall
/// @param also other walls that bind at the same time
/// @param ruledOut the walls that a reading excludes
/// @param text one line with the wall and its first evidence
public record Diagnosis(
        Verdict verdict,
        @Nullable Wall wall,
        @Nullable End end,
        @Nullable Harm harm,
        Set<Wall> also,
        Set<Wall> ruledOut,
        String text) {
    public Diagnosis {
        also = Set.copyOf(also);
        ruledOut = Set.copyOf(ruledOut);
    }
}

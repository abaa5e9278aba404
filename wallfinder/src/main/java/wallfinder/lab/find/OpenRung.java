package wallfinder.lab.find;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Advice;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.Remedy;
import wallfinder.record.Applied;
import wallfinder.record.CapacityRecord;
import wallfinder.record.RunRecord;

/// A rung while its remedies are tested. A failure or the user may end the tests at any time. What
/// was found until then is part of the ladder.
final class OpenRung {
    private static final String ENDED = "the run ended before its measurement did";

    static final String UNCHANGED = "without network namespaces a run changes no kernel setting";

    /// Why a remedy has no figures.
    enum Gap {
        TOO_BUSY,
        NO_NAMESPACE,
        NOT_STARTED,
        ENDED
    }

    private final int index;
    private final List<Applied> without = new ArrayList<>();
    private final List<Applied> tried = new ArrayList<>();
    private final List<RunRecord.Unmeasured> unmeasured = new ArrayList<>();
    private final Set<Gap> gaps = EnumSet.noneOf(Gap.class);

    /// How many of those without figures are no remedies of the wall.
    private int others;

    private @Nullable Applied kept;
    private @Nullable Double startedUnderLoad;
    private RunRecord.@Nullable Profile profile;

    /// @param index that of the trial at the wall
    OpenRung(int index) {
        this.index = index;
    }

    int index() {
        return index;
    }

    @Nullable Applied kept() {
        return kept;
    }

    /// The remedy moved the wall or did not.
    void tested(Applied applied) {
        if (applied.kept()) {
            kept = applied;
        } else {
            without.add(applied);
        }
    }

    /// A setting under `try` was measured.
    void tried(Applied applied) {
        tried.add(applied);
    }

    void unmeasured(Remedy remedy, Gap gap, String why) {
        unmeasured.add(new RunRecord.Unmeasured(remedy, why));
        gaps.add(gap);
    }

    /// From now on the remedies are those of the wall.
    void turnsToTheWall() {
        others = unmeasured.size();
        gaps.clear();
    }

    /// Something ended the tests.
    void ended(List<Remedy> remaining) {
        remaining.stream()
                .filter(remedy -> !has(remedy))
                .forEach(remedy -> unmeasured(remedy, Gap.ENDED, ENDED));
    }

    /// Whether this remedy of the wall has a result.
    boolean has(Remedy remedy) {
        return without.stream().anyMatch(other -> other.remedy().equals(remedy))
                || unmeasured.stream()
                        .skip(others)
                        .anyMatch(other -> other.remedy().equals(remedy));
    }

    /// @return why no remedy is kept, if that ends the ladder
    String end(RunRecord.Trial wall) {
        boolean measured = !without.isEmpty();
        if (gaps.contains(Gap.TOO_BUSY) || without.stream().anyMatch(Applied::tooFewPairs)) {
            return Find.TOO_BUSY;
        }
        if (without.stream().anyMatch(Applied::lowerBound)) {
            return CapacityPairs.LIMITED;
        }
        if (gaps.contains(Gap.NO_NAMESPACE)) {
            return measured
                    ? "no remedy that can be tested here moved the wall; others need network namespaces"
                    : "the remedies of this wall need network namespaces: " + UNCHANGED;
        }
        return gaps.contains(Gap.NOT_STARTED) && !measured
                ? "no remedy was proven: the service did not start with those that were tested"
                : Find.ended(wall, measured);
    }

    void startedUnderLoad(@Nullable Double perSecond) {
        startedUnderLoad = perSecond;
    }

    void profile(RunRecord.@Nullable Profile found) {
        profile = found;
    }

    /// The rung as it is now.
    ///
    /// @param capacity see [RunRecord.Rung]
    RunRecord.Rung rung(RunRecord.Trial wall, @Nullable CapacityRecord capacity) {
        return new RunRecord.Rung(
                index,
                kept,
                List.copyOf(without),
                List.copyOf(tried),
                advice(wall, capacity),
                startedUnderLoad,
                profile,
                capacity,
                List.copyOf(unmeasured));
    }

    private List<Advice> advice(RunRecord.Trial wall, @Nullable CapacityRecord capacity) {
        Judgement.Binds binds = wall.diagnosis().headline();
        boolean aboveIsUnknown = capacity != null && capacity.wall() == null;
        if (binds == null || aboveIsUnknown || kept != null) {
            return List.of();
        }
        return binds.wall().advice(binds, wall.observation()).stream()
                .map(one -> profile == null ? one : one.belowProfile())
                .toList();
    }
}

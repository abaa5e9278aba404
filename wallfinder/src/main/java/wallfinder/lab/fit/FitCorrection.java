package wallfinder.lab.fit;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import wallfinder.sampling.JvmCensus;

/// Corrects a profile by the trials at the smallest limit, and searches again. A start script
/// estimates the memory outside of the heap from the profile. It may estimate too much, or too
/// little if the JVM does not report its direct buffers.
///
/// @param calibration the trial with the generous limit, from which the profile comes
/// @param trying runs a trial with a limit
record FitCorrection(
        FitTrial calibration,
        FitPrediction prediction,
        Path profile,
        LongFunction<FitTrial> trying,
        Consumer<String> progress) {

    /// @return null if there is nothing to correct, or if this changes nothing
    @Nullable FitSearch after(FitSearch found) {
        FitRemainder remainder = FitRemainder.of(found.at(found.smallest()));
        if (remainder.bytes() >= prediction.step()) {
            String unused = "%.0f MB of it are unused".formatted(megabytes(remainder.bytes()));
            return searched(
                    unused,
                    FitProfile.outside(remainder.outsideBytes()),
                    () -> lower(found.smallest(), remainder));
        }
        if (remainder.bytes() < -FitRemainder.MARGIN) {
            double missing = -remainder.bytes();
            String needed = "a full heap would need %.0f MB more".formatted(megabytes(missing));
            double known = census().directBytes();
            double direct = (known > 0 ? known : 0) + missing + FitRemainder.MARGIN;
            return searched(
                    needed,
                    FitProfile.direct(direct),
                    () -> withSmallerHeap(found.smallest(), remainder));
        }
        return null;
    }

    private static double megabytes(double bytes) {
        return bytes / FitLife.MEGABYTE;
    }

    private JvmCensus census() {
        return Objects.requireNonNull(calibration.census());
    }

    /// Adds a line to the profile, and removes it if that changes nothing.
    private @Nullable FitSearch searched(
            String what, String line, Supplier<@Nullable FitSearch> search) {
        String before = FitProfile.text(calibration, census());
        FitProfile.write(profile, before + line);
        progress.accept("  %s, and the profile now says so".formatted(what));
        FitSearch again = null;
        try {
            again = search.get();
        } finally {
            if (again == null) {
                FitProfile.write(profile, before);
            }
        }
        if (again == null) {
            progress.accept("  that changes nothing");
        }
        return again;
    }

    /// Searches below the smallest limit if the start script turns the unused memory into a larger
    /// heap.
    private @Nullable FitSearch lower(long smallest, FitRemainder remainder) {
        FitTrial corrected = trying.apply(smallest);
        if (!corrected.ok() || !(corrected.life().heapMaxBytes() > remainder.heapMaxBytes())) {
            return null;
        }
        long step = prediction.step();
        FitSearch lower = new FitSearch(step, prediction, List.of(corrected), trying);
        long steps = (long) (remainder.bytes() / step);
        lower.run(smallest - steps * step);
        return lower.smallest() > 0 && lower.smallest() < smallest ? lower : null;
    }

    /// Searches from the smallest limit on if the start script makes the heap smaller, or refuses a
    /// heap so small.
    private @Nullable FitSearch withSmallerHeap(long smallest, FitRemainder remainder) {
        FitTrial corrected = trying.apply(smallest);
        if (corrected.life().heapMaxBytes() >= remainder.heapMaxBytes()) {
            return null;
        }
        FitSearch search =
                new FitSearch(
                        prediction.step(), prediction, List.of(calibration, corrected), trying);
        search.run(smallest);
        return search;
    }
}

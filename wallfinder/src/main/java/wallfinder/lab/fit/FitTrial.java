package wallfinder.lab.fit;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.LoadGenerator;
import wallfinder.lab.study.TrialFigures;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.Doubt;
import wallfinder.record.FitRecord;
import wallfinder.record.RunRecord;
import wallfinder.sampling.JvmCensus;

/// One trial at a memory limit.
///
/// @param trial null if the service did not get ready
/// @param knockOut why the limit is too small, or null if it is large enough
/// @param census what the JVM's memory contained, or null
/// @param failure what ended the start, or null
record FitTrial(
        String name,
        long limitBytes,
        boolean cold,
        RunRecord.@Nullable Trial trial,
        FitLife life,
        FitRecord.@Nullable KnockOut knockOut,
        @Nullable JvmCensus census,
        @Nullable EnvironmentException failure) {
    /// If other processes used more CPU than this, they may be why the service was slow.
    private static final double OTHERS_SHARE_MAX = 0.25;

    /// The same with what another trial at this limit found in the JVM.
    FitTrial with(JvmCensus otherCensus) {
        return new FitTrial(name, limitBytes, cold, trial, life, knockOut, otherCensus, failure);
    }

    boolean ok() {
        return knockOut == null;
    }

    /// `OK` with its figures, or the knock-out with its evidence.
    String describe() {
        if (knockOut != null) {
            return knockOut.kind().word() + ", " + String.join("; ", knockOut.evidence());
        }
        TrialFigures figures = TrialFigures.of(Objects.requireNonNull(trial));
        String rate =
                Double.isNaN(figures.perSecond())
                        ? "rate unknown"
                        : "%,.1f answers/s".formatted(figures.perSecond());
        return "OK, %s, started in %.1f s, %.0f MB that cannot be reclaimed"
                .formatted(rate, figures.startSeconds(), life.peak().bytes() / FitLife.MEGABYTE);
    }

    FitRecord.KnockOut.@Nullable Kind kind() {
        return knockOut == null ? null : knockOut.kind();
    }

    /// Why the trial does not count, or null. A kill counts, however busy the host was. A knock-out
    /// for slowness does not count if other processes used the CPU. A pass does not count if the
    /// generator did not reach its load.
    @Nullable String discarded() {
        FitRecord.KnockOut found = knockOut;
        if (found != null && FitJudge.isCertain(found)) {
            return null;
        }
        if (trial != null
                && (trial.invalid() || LoadGenerator.starved(trial.observation().load()))) {
            return "the load generator was the limit, or something else took its CPU";
        }
        if (found == null) {
            return null;
        }
        // Without a load only the service and other processes use the CPUs.
        boolean busy =
                trial == null
                        ? life.othersShare() > OTHERS_SHARE_MAX
                        : trial.diagnosis().caveats().stream()
                                .anyMatch(c ->
                                        c.is(Doubt.BUSY_HOST)
                                                || c.is(Doubt.NOISY_HOST)
                                                || c.is(Doubt.LOST_TICKS));
        return busy ? "it was too slow, and other processes on this host used the CPU" : null;
    }
}

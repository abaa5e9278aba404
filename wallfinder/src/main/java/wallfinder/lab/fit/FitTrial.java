package wallfinder.lab.fit;

import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.LoadGenerator;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.Doubt;
import wallfinder.record.FitRecord;
import wallfinder.record.RunRecord;
import wallfinder.sampling.JvmCensus;

/// One trial at a memory limit.
///
/// @param trial null if the service did not get ready
/// @param knockOut why the limit is too small, or null if it is not
/// @param census what its JVM held, if it was asked
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
    /// From here on others had so much of the CPU that what took too long may have been they.
    private static final double OTHERS_SHARE_MAX = 0.25;

    boolean ok() {
        return knockOut == null;
    }

    FitRecord.KnockOut.@Nullable Kind kind() {
        return knockOut == null ? null : knockOut.kind();
    }

    /// Why it says nothing, or null. A kill is one, whoever had the CPU; what was too slow is none
    /// if others had it, and a pass is none if the load was not what was asked for.
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
        // Without a load nothing but others has the CPUs beside the service.
        boolean busy =
                trial == null
                        ? life.othersShare() > OTHERS_SHARE_MAX
                        : trial.diagnosis().caveats().stream()
                                .anyMatch(c -> c.is(Doubt.BUSY_HOST) || c.is(Doubt.NOISY_HOST));
        return busy ? "it was too slow, and others on this host had the CPU" : null;
    }
}

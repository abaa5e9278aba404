package wallfinder.lab.fit;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.FitPlan;
import wallfinder.lab.study.TrialFigures;
import wallfinder.observation.Quantile;
import wallfinder.record.FitRecord;
import wallfinder.sampling.JvmCensus;

/// Computes the results of a fit from its trials.
final class FitFigures {
    private FitFigures() {}

    static FitRecord of(
            FitPlan plan,
            List<FitCandidate> candidates,
            FitRecord.@Nullable Headline headline,
            FitRecord.@Nullable Turning turning) {
        List<FitRecord.LimitTrial> tries = new ArrayList<>();
        for (FitCandidate candidate : candidates) {
            for (FitTrial trial : candidate.trials) {
                tries.add(
                        new FitRecord.LimitTrial(
                                candidate.name,
                                trial.name(),
                                trial.limitBytes(),
                                trial.cold(),
                                trial.knockOut(),
                                trial.discarded()));
            }
        }
        return new FitRecord(
                plan.service(),
                plan.stepBytes(),
                candidates.stream().map(FitFigures::candidate).toList(),
                List.copyOf(tries),
                headline,
                turning);
    }

    private static FitRecord.Candidate candidate(FitCandidate of) {
        return new FitRecord.Candidate(
                of.name,
                of.calibration == null ? null : calibration(of, of.calibration),
                of.warm == null ? null : limit(of.warm),
                of.cold == null ? null : limit(of.cold),
                of.problem);
    }

    private static FitRecord.Calibration calibration(FitCandidate of, FitTrial trial) {
        FitLife.Peak peak = trial.life().peak();
        TrialFigures figures = TrialFigures.of(Objects.requireNonNull(trial.trial()));
        return new FitRecord.Calibration(
                trial.limitBytes(),
                figures.perSecond(),
                figures.startSeconds(),
                peak.ownBytes(),
                peak.kernelBytes(),
                of.predictedBytes,
                trial.life().threads(),
                trial.census() == null ? null : jvm(trial.census(), of));
    }

    private static FitRecord.Jvm jvm(JvmCensus census, FitCandidate of) {
        return new FitRecord.Jvm(
                census.classes(),
                census.liveBytes(),
                census.loadedBytes(),
                census.codeBytes(),
                census.directBytes(),
                census.heapMaxBytes(),
                of.profile == null ? "" : of.profile);
    }

    private static FitRecord.Limit limit(FitSearch search) {
        long bytes = search.smallest();
        List<FitTrial> below = search.at(search.below());
        List<TrialFigures> passes =
                search.at(bytes).stream()
                        .flatMap(pass -> Stream.ofNullable(pass.trial()))
                        .map(TrialFigures::of)
                        .toList();
        return new FitRecord.Limit(
                bytes,
                passes.size(),
                below.size(),
                search.knockOuts(search.below()),
                search.because().map(FitTrial::knockOut).orElse(null),
                search.verified(),
                median(passes, TrialFigures::perSecond),
                median(passes, TrialFigures::p99Nanos),
                median(passes, TrialFigures::startSeconds));
    }

    private static double median(List<TrialFigures> of, ToDoubleFunction<TrialFigures> figure) {
        return Quantile.median(of.stream().mapToDouble(figure).toArray());
    }
}

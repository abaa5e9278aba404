package wallfinder.record;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes a fit into `run.json`.
final class FitJson {
    private FitJson() {}

    static Map<String, @Nullable Object> of(FitRecord fit) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("service", fit.service());
        json.put("stepBytes", fit.stepBytes());
        json.put("candidates", fit.candidates().stream().map(FitJson::candidate).toList());
        json.put("tries", fit.tries().stream().map(FitJson::tried).toList());
        json.put("headline", fit.headline() == null ? null : headline(fit.headline()));
        json.put("turning", fit.turning() == null ? null : turning(fit.turning()));
        return json;
    }

    private static Map<String, @Nullable Object> turning(FitRecord.Turning turning) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("from", turning.from());
        json.put("candidate", turning.candidate());
        json.put("limitBytes", turning.limitBytes());
        json.put("turns", turning.turns().stream().map(FitJson::turn).toList());
        return json;
    }

    private static Map<String, @Nullable Object> turn(FitRecord.Turn turn) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("what", turn.what());
        json.put("set", turn.set());
        json.put("bytesBefore", Rounded.to(0, turn.beforeBytes()));
        json.put("bytes", Rounded.to(0, turn.bytes()));
        json.put("throughputPerSecondBefore", Rounded.to(3, turn.perSecondBefore()));
        json.put("throughputPerSecond", Rounded.to(3, turn.perSecond()));
        json.put("kept", turn.kept());
        json.put("dropped", turn.dropped());
        return json;
    }

    private static Map<String, @Nullable Object> candidate(FitRecord.Candidate candidate) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", candidate.name());
        json.put("problem", candidate.problem());
        json.put(
                "calibration",
                candidate.calibration() == null ? null : calibration(candidate.calibration()));
        json.put("warm", limit(candidate.warm()));
        json.put("cold", limit(candidate.cold()));
        return json;
    }

    private static Map<String, @Nullable Object> calibration(FitRecord.Calibration of) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("limitBytes", of.limitBytes());
        json.put("throughputPerSecond", Rounded.to(3, of.perSecond()));
        json.put("startSeconds", Rounded.to(3, of.startSeconds()));
        json.put("anonymousBytesMax", Rounded.to(0, of.anonymousBytes()));
        json.put("kernelBytesMax", Rounded.to(0, of.kernelBytes()));
        json.put("predictedBytes", of.predictedBytes());
        json.put("threadsMax", Rounded.to(0, of.threads()));
        json.put("jvm", of.jvm() == null ? null : jvm(of.jvm()));
        return json;
    }

    private static Map<String, @Nullable Object> jvm(FitRecord.Jvm jvm) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("classes", Rounded.to(0, jvm.classes()));
        json.put("liveBytes", Rounded.to(0, jvm.liveBytes()));
        json.put("loadedBytes", Rounded.to(0, jvm.loadedBytes()));
        json.put("codeBytes", Rounded.to(0, jvm.codeBytes()));
        json.put("directBytes", Rounded.to(0, jvm.directBytes()));
        json.put("heapBytesMax", Rounded.to(0, jvm.heapMaxBytes()));
        json.put("profile", jvm.profile());
        return json;
    }

    private static @Nullable Map<String, @Nullable Object> limit(FitRecord.@Nullable Limit limit) {
        if (limit == null) {
            return null;
        }
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("bytes", limit.found() ? limit.bytes() : null);
        json.put("verified", limit.verified());
        json.put("passes", limit.passes());
        json.put("triedBelow", limit.below());
        json.put("knockOutsBelow", limit.knockOuts());
        json.put("knockOut", knockOut(limit.because()));
        json.put("throughputPerSecond", Rounded.to(3, limit.perSecond()));
        json.put("p99Micros", Rounded.to(1, limit.p99Nanos() / 1e3));
        json.put("startSeconds", Rounded.to(3, limit.startSeconds()));
        return json;
    }

    private static @Nullable Map<String, @Nullable Object> knockOut(
            FitRecord.@Nullable KnockOut knockOut) {
        if (knockOut == null) {
            return null;
        }
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("kind", knockOut.kind().word());
        json.put("evidence", knockOut.evidence());
        return json;
    }

    private static Map<String, @Nullable Object> tried(FitRecord.LimitTrial tried) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("candidate", tried.candidate());
        json.put("trial", tried.trial());
        json.put("limitBytes", tried.limitBytes());
        json.put("cold", tried.cold());
        json.put("knockOut", knockOut(tried.knockOut()));
        json.put("discarded", tried.discarded());
        return json;
    }

    private static Map<String, @Nullable Object> headline(FitRecord.Headline headline) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("candidate", headline.candidate());
        json.put("bytes", headline.bytes());
        json.put("firstBytes", headline.firstBytes());
        json.put("throughput", StudyJson.ratio(headline.throughput()));
        return json;
    }
}

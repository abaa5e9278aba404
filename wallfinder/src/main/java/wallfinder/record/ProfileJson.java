package wallfinder.record;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.AllocationProfile;
import wallfinder.diagnosis.CpuProfile;
import wallfinder.diagnosis.CpuProfile.Share;
import wallfinder.diagnosis.FlameGraph;
import wallfinder.diagnosis.ProfileChange;
import wallfinder.diagnosis.RatioInterval;

/// Writes what the CPUs did for a service into `run.json`.
final class ProfileJson {
    private static final int DIGITS = 4;

    private ProfileJson() {}

    static @Nullable Map<String, @Nullable Object> of(RunRecord.@Nullable Profile found) {
        if (found == null) {
            return null;
        }
        CpuProfile profile = found.cpu();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("cpuMicrosPerAnswer", Rounded.to(1, profile.microsPerAnswer()));
        json.put("cpus", share(profile.cpus()));
        json.put("samples", profile.samples());
        json.put("lost", profile.lost());
        json.put("parts", profile.parts().stream().map(ProfileJson::part).toList());
        json.put("methods", profile.methods().stream().map(ProfileJson::method).toList());
        json.put("flamegraph", profile.flames().boxes().stream().map(ProfileJson::box).toList());
        json.put("allocation", allocation(profile.allocation()));
        json.put("cost", found.cost() == null ? null : cost(found.cost()));
        if (found.change() != null) {
            json.put("change", change(found.change()));
        }
        return json;
    }

    private static Map<String, @Nullable Object> cost(RatioInterval ratio) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("throughput", share(ratio.ratio()));
        json.put("low", share(ratio.low()));
        json.put("high", share(ratio.high()));
        json.put("pairs", ratio.pairs());
        return json;
    }

    private static Map<String, @Nullable Object> box(FlameGraph.Box box) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("depth", box.depth());
        json.put("name", box.name());
        json.put("share", share(box.share()));
        return json;
    }

    private static @Nullable Map<String, @Nullable Object> allocation(
            @Nullable AllocationProfile found) {
        if (found == null) {
            return null;
        }
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("bytesPerSecond", Rounded.to(0, found.bytesPerSecond()));
        json.put("bytesPerAnswer", Rounded.to(0, found.bytesPerAnswer()));
        json.put("samples", found.samples());
        json.put("methods", found.methods().stream().map(ProfileJson::allocated).toList());
        json.put("types", found.types().stream().map(ProfileJson::allocated).toList());
        return json;
    }

    private static Map<String, @Nullable Object> allocated(AllocationProfile.Allocated one) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", one.name());
        json.put("share", share(one.share().mean()));
        bounds(one.share(), json);
        return json;
    }

    private static Map<String, @Nullable Object> part(CpuProfile.Part part) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", part.name());
        json.put("kind", part.kind().word());
        json.put("share", share(part.share().mean()));
        bounds(part.share(), json);
        json.put("speedupMax", share(part.share().speedupMax()));
        return json;
    }

    private static Map<String, @Nullable Object> method(CpuProfile.Method method) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", method.name());
        json.put("self", share(method.self().mean()));
        json.put("total", share(method.total().mean()));
        bounds(method.self(), json);
        json.put("speedupMax", share(method.total().speedupMax()));
        return json;
    }

    private static Map<String, @Nullable Object> change(ProfileChange change) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("pairs", change.pairs());
        json.put("cpuMicrosPerAnswer", micros(change.cpu(), new LinkedHashMap<>()));
        json.put(
                "parts",
                change.parts().stream()
                        .map(part -> {
                            Map<String, @Nullable Object> of = new LinkedHashMap<>();
                            of.put("name", part.name());
                            of.put("kind", part.kind().word());
                            return micros(part.micros(), of);
                        })
                        .toList());
        json.put(
                "methods",
                change.methods().stream()
                        .map(method -> {
                            Map<String, @Nullable Object> of = new LinkedHashMap<>();
                            of.put("name", method.name());
                            return micros(method.self(), of);
                        })
                        .toList());
        json.put("flamegraph", change.flames().boxes().stream().map(ProfileJson::box).toList());
        return json;
    }

    private static Map<String, @Nullable Object> micros(
            ProfileChange.Micros micros, Map<String, @Nullable Object> json) {
        json.put("before", Rounded.to(2, micros.before()));
        json.put("after", Rounded.to(2, micros.after()));
        json.put("low", Rounded.to(2, micros.low()));
        json.put("high", Rounded.to(2, micros.high()));
        json.put("differs", micros.differs());
        return json;
    }

    private static void bounds(Share share, Map<String, @Nullable Object> json) {
        json.put("low", share(share.low()));
        json.put("high", share(share.high()));
    }

    private static @Nullable BigDecimal share(double value) {
        return Rounded.to(DIGITS, value);
    }
}

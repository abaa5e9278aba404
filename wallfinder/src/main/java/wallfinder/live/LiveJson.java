package wallfinder.live;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Fullness;
import wallfinder.record.Rounded;

/// A state for a browser: texts that are ready to show, and the courses as numbers.
public record LiveJson(LiveState state, long nowNanos) {
    public Map<String, @Nullable Object> of() {
        Step step = state.step();
        Moment moment = state.moment();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("command", state.command());
        json.put("clock", Planned.clock(nowNanos - state.startNanos()));
        json.put("step", step == null ? null : timed(step.text(), step.time()));
        json.put(
                "reached",
                step == null ? List.of() : step.reached().stream().map(LiveJson::level).toList());
        json.put("moment", moment == null ? null : timed(moment.doing(), moment.time()));
        json.put(
                "gauges",
                moment == null ? List.of() : moment.gauges().stream().map(this::gauge).toList());
        json.put(
                "limits",
                moment == null
                        ? List.of()
                        : moment.limits().stream().map(LiveJson::limit).toList());
        return json;
    }

    private Map<String, @Nullable Object> timed(String text, Planned time) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("text", text);
        json.put("left", time.text(nowNanos));
        json.put(
                "share",
                time.bound() == Planned.Bound.UNKNOWN ? null : Rounded.to(3, time.share(nowNanos)));
        return json;
    }

    private static Map<String, @Nullable Object> level(Step.Reached level) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("text", Frame.text(level));
        json.put("wall", !level.wall().isEmpty());
        return json;
    }

    private Map<String, @Nullable Object> gauge(Gauge gauge) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", gauge.name());
        json.put("text", gauge.text());
        json.put("bad", gauge.tone() == Tone.BAD);
        json.put(
                "course",
                Arrays.stream(state.course(gauge.name()))
                        .mapToObj(value -> Rounded.to(3, value))
                        .toList());
        return json;
    }

    private static Map<String, @Nullable Object> limit(Fullness limit) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", LimitBars.name(limit));
        json.put("used", LimitBars.used(limit));
        json.put("percent", LimitBars.percent(limit.share()));
        json.put("share", Rounded.to(4, Math.clamp(limit.share(), 0, 1)));
        json.put("tone", LimitBars.tone(limit.share()).name().toLowerCase(Locale.ROOT));
        return json;
    }
}

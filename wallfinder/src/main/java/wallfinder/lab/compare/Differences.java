package wallfinder.lab.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import wallfinder.record.Comparison.Difference;
import wallfinder.record.Comparison.Where;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;
import wallfinder.record.StoredRun;
import wallfinder.record.StoredRun.Load;
import wallfinder.record.StoredRun.Trial;

/// What was different around two measurements.
final class Differences {
    /// A value that a run does not have.
    static final String NONE = "-";

    private static final String OWN_JAVA = "Java of Wallfinder";

    private static final String HOST_NAME = "name of the host";

    private static final Pattern URL = Pattern.compile("[a-z]+://\\S+");

    /// A trial goes on until its last answers are in, so lengths that differ by less say nothing.
    private static final double SECONDS_RATIO_MAX = 1.5;

    /// Factors of a trial that are no settings.
    private static final Set<String> NO_SETTINGS =
            Set.of(
                    "connections",
                    RunRecord.START_SECONDS,
                    RunRecord.PEER,
                    RunRecord.PEER_HOST,
                    RunRecord.PEER_CLOCK,
                    RunRecord.WATCHED);

    private final List<Difference> all = new ArrayList<>();

    private Differences() {}

    /// @param first the first trials that correspond, or null
    static List<Difference> of(StoredRun a, StoredRun b, @Nullable Match first) {
        Differences found = new Differences();
        found.add(Where.HOST, host(a, b), host(b, a));
        found.add(Where.LOAD, "URL", url(a), url(b));
        if (first != null && !first.a().isEmpty() && !first.b().isEmpty()) {
            Trial of = first.a().getFirst();
            Trial other = first.b().getFirst();
            found.add(Where.HOST, of.place(), other.place());
            found.add(Where.LOAD, load(of, other), load(other, of));
            settings(first)
                    .forEach((name, values) ->
                            found.add(Where.SETTING, name, values.a(), values.b()));
            found.add(Where.JVM, jvms(of), jvms(other));
        }
        return List.copyOf(found.all);
    }

    private void add(Where where, SortedMap<String, String> a, SortedMap<String, String> b) {
        names(a, b)
                .forEach(name ->
                        add(where, name, a.getOrDefault(name, NONE), b.getOrDefault(name, NONE)));
    }

    private static Set<String> names(Map<String, String> a, Map<String, String> b) {
        Set<String> names = new TreeSet<>(a.keySet());
        names.addAll(b.keySet());
        return names;
    }

    private void add(Where where, String what, String a, String b) {
        if (!a.equals(b)) {
            all.add(new Difference(where, what, a, b));
        }
    }

    /// What the host was, in words.
    static SortedMap<String, String> host(StoredRun run) {
        SortedMap<String, String> host = new TreeMap<>();
        run.host()
                .forEach((name, value) -> {
                    switch (name) {
                        case "cpuModel" -> host.put("CPU", value);
                        case "cpus" -> host.put("number of CPUs", value);
                        case "java" -> host.put(OWN_JAVA, value);
                        case RunRecord.HOST_NAME -> host.put(HOST_NAME, value);
                        case "memoryBytes" -> host.put("memory", memory(value));
                        default -> host.put(name, value);
                    }
                });
        run.trials().stream()
                .map(trial -> trial.factors().get(RunRecord.PEER_HOST))
                .filter(Objects::nonNull)
                .findFirst()
                .ifPresent(name -> host.put("name of the server's host", name));
        return host;
    }

    /// The same without the name of the host if the other run does not know its own, as older ones.
    private static SortedMap<String, String> host(StoredRun run, StoredRun other) {
        SortedMap<String, String> host = host(run);
        if (!other.host().containsKey(RunRecord.HOST_NAME)) {
            host.remove(HOST_NAME);
        }
        return host;
    }

    private static String url(StoredRun run) {
        Matcher url = URL.matcher(run.command());
        return url.find() ? url.group() : NONE;
    }

    /// Whether the runs come from different machines. The JVM of Wallfinder can be another on the
    /// same one.
    static boolean machinesDiffer(StoredRun a, StoredRun b) {
        SortedMap<String, String> of = host(a, b);
        SortedMap<String, String> other = host(b, a);
        of.remove(OWN_JAVA);
        other.remove(OWN_JAVA);
        return !of.equals(other);
    }

    private static String memory(String bytes) {
        return bytes.matches("\\d+") ? NumberText.bytes(Double.parseDouble(bytes)) : bytes;
    }

    /// @param other decides whether the lengths of both differ enough
    private static SortedMap<String, String> load(Trial of, Trial other) {
        SortedMap<String, String> load = new TreeMap<>();
        Load own = of.load();
        if (own != null) {
            load.putAll(Loads.parts(own));
            load.put("engine", own.engine());
            if (other.load() != null && differ(own.seconds(), other.load().seconds())) {
                load.put("measured for", NumberText.seconds(own.seconds()));
            }
        }
        load.put("warm-up before", of.warmed() ? "yes" : "no");
        return load;
    }

    private static boolean differ(double seconds, double others) {
        return Math.max(seconds, others) > SECONDS_RATIO_MAX * Math.min(seconds, others);
    }

    /// The values of a setting in the two runs.
    record Values(String a, String b) {
        boolean inBoth() {
            return !a.equals(NONE) && !b.equals(NONE);
        }
    }

    /// The settings that differ, by their names in an experiment.
    static SortedMap<String, Values> settings(Match match) {
        SortedMap<String, Values> settings = new TreeMap<>();
        Map<String, String> a = settings(match.a().getFirst());
        Map<String, String> b = settings(match.b().getFirst());
        for (String name : names(a, b)) {
            Values values = new Values(a.getOrDefault(name, NONE), b.getOrDefault(name, NONE));
            if (!values.a().equals(values.b()) && !isFound(values, match.bytes())) {
                settings.put(name, values);
            }
        }
        return settings;
    }

    private static Map<String, String> settings(Trial trial) {
        Map<String, String> settings = new TreeMap<>(trial.settings());
        settings.putAll(trial.factors());
        settings.keySet().removeAll(NO_SETTINGS);
        return settings;
    }

    /// Whether these are the limits that `fit` found.
    private static boolean isFound(Values values, Match.@Nullable Bytes bytes) {
        return bytes != null
                && values.a().equals(Long.toString(bytes.a()))
                && values.b().equals(Long.toString(bytes.b()));
    }

    private static SortedMap<String, String> jvms(Trial trial) {
        SortedMap<String, String> jvms = new TreeMap<>();
        trial.jvms()
                .forEach((service, jvm) -> {
                    jvms.put(
                            "JVM of " + service,
                            "%s of %s in %s".formatted(jvm.version(), jvm.vendor(), jvm.home()));
                    jvms.put("class archive of " + service, jvm.archive());
                });
        return jvms;
    }
}

package wallfinder.experiment;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An experiment: everything that the user asks of one run.
///
/// @param services in the order of their start
/// @param tries names of settings that `find` tests in any case
/// @param goal what `find` raises
/// @param repeat the number of pairs for each remedy
/// @param text the text of the experiment file
public record Experiment(
        String name,
        List<ServiceSpec> services,
        SandboxSpec sandbox,
        LoadSpec load,
        List<String> tries,
        Goal goal,
        int repeat,
        @Nullable Objective objective,
        String text) {
    /// What `find` raises by moving walls.
    public enum Goal {
        /// Good answers a second, whatever their response time.
        THROUGHPUT,
        /// The highest rate of requests that holds the objective.
        CAPACITY
    }

    /// Under `try`: the options of a JVM that may help at the walls `cpu` and `gc`.
    public static final String TRY_JVM = "jvm";

    /// Finds a setting of the experiment by its name. A knob or a sysctl has its own name and a
    /// full one, `service.knob`, `server.sysctl` or `client.sysctl`. A limit has `service.limit`,
    /// such as `web.cpus`. The load's command counts as a service `load`. Options of a JVM have no
    /// name here: only remedies change them.
    ///
    /// @throws UsageException if there is no such setting, or if both ends have it
    public Setting setting(String wanted) {
        Map<String, Setting> known = settings();
        Setting setting = known.get(wanted);
        if (setting != null) {
            return setting;
        }
        boolean ambiguous = known.containsKey("server." + wanted);
        throw ambiguous
                ? new UsageException(
                        "The setting '" + wanted + "' is ambiguous",
                        "both ends of the sandbox set it",
                        "Write 'server." + wanted + "' or 'client." + wanted + "'")
                : new UsageException(
                        "There is no setting '" + wanted + "'",
                        "it is neither a knob of a service nor a sysctl under 'sandbox'",
                        Nearest.advice(wanted, known.keySet()));
    }

    /// The other host where the services run, as `ssh:[USER@]HOST`; null for this one.
    public @Nullable String host() {
        return services.getFirst().host();
    }

    /// The same experiment, with all services on another host. Its text does not change.
    ///
    /// @param host as `ssh:[USER@]HOST`
    public Experiment on(String host) {
        return with(services.stream().map(spec -> spec.on(host)).toList(), sandbox, load);
    }

    /// The hosts that generate the load, as `ssh:[USER@]HOST`; empty for this one.
    public List<String> generators() {
        return switch (load) {
            case LoadSpec.Http http -> http.hosts();
            case LoadSpec.Hold hold -> hold.hosts();
            case LoadSpec.Command _ -> List.of();
        };
    }

    /// The same experiment, with the load from other hosts. Its text does not change.
    ///
    /// @param hosts as `ssh:[USER@]HOST`
    /// @throws UsageException if other hosts cannot generate this load
    public Experiment from(List<String> hosts) {
        return switch (load) {
            case LoadSpec.Http http -> with(services, sandbox, http.from(hosts));
            case LoadSpec.Hold hold -> with(services, sandbox, hold.from(hosts));
            case LoadSpec.Command _ ->
                    throw new UsageException(
                            "the load of this experiment cannot come from other hosts",
                            "a command runs on this host",
                            "leave --generator out, or write the load as `url: ...` or `hold: ...`");
        };
    }

    /// All programs: the services, and then the load's command, if there is one.
    public List<ServiceSpec> programs() {
        if (!(load instanceof LoadSpec.Command command)) {
            return services;
        }
        List<ServiceSpec> programs = new ArrayList<>(services);
        programs.add(command.program());
        return List.copyOf(programs);
    }

    /// The value of a setting, or null if the experiment does not set it.
    public @Nullable String value(Setting setting) {
        return switch (setting) {
            case Setting.OfKnob(String service, String knob) -> knob(service, knob).value();
            case Setting.OfSysctl(boolean server, String sysctl) ->
                    sandbox.sysctls(server).get(sysctl);
            case Setting.OfLimit(String service, Limits.Kind kind) ->
                    service(service).limits().text(kind);
            case Setting.OfJvm(String service, JvmOption.Kind kind) ->
                    JvmOption.value(service(service), kind);
            case Setting.OfResolver(boolean server) -> {
                Resolver resolver = sandbox.resolver(server);
                yield resolver == null ? null : resolver.text();
            }
        };
    }

    /// The same experiment with another value of a setting. Its text does not change.
    public Experiment with(Setting setting, String value) {
        return switch (setting) {
            case Setting.OfKnob(String service, String knob) ->
                    with(withKnob(service(service), knob, value));
            case Setting.OfLimit(String service, Limits.Kind kind) ->
                    with(service(service).with(service(service).limits().with(kind, value)));
            case Setting.OfJvm(String service, JvmOption.Kind kind) ->
                    with(JvmOption.with(service(service), kind, value));
            case Setting.OfSysctl(boolean server, String sysctl) ->
                    with(
                            services,
                            sandbox.with(server, put(sandbox.sysctls(server), sysctl, value)),
                            load);
            case Setting.OfResolver(boolean server) ->
                    with(services, sandbox.with(server, Resolver.parse(value)), load);
        };
    }

    private Map<String, Setting> settings() {
        Map<String, Setting> known = new LinkedHashMap<>();
        for (ServiceSpec service : programs()) {
            for (String knob : service.knobs().keySet()) {
                Setting setting = new Setting.OfKnob(service.name(), knob);
                known.put(knob, setting);
                known.put(service.name() + "." + knob, setting);
            }
            for (Limits.Kind kind : Limits.Kind.values()) {
                if (service.limits().text(kind) != null) {
                    Setting setting = new Setting.OfLimit(service.name(), kind);
                    known.put(setting.name(), setting);
                }
            }
        }
        addSysctls(known, true);
        addSysctls(known, false);
        return known;
    }

    private void addSysctls(Map<String, Setting> known, boolean server) {
        Map<String, String> here = sandbox.sysctls(server);
        Map<String, String> there = sandbox.sysctls(!server);
        for (String sysctl : here.keySet()) {
            Setting setting = new Setting.OfSysctl(server, sysctl);
            known.put((server ? "server." : "client.") + sysctl, setting);
            if (!there.containsKey(sysctl)) {
                known.put(sysctl, setting);
            }
        }
    }

    public ServiceSpec service(String wanted) {
        return programs().stream()
                .filter(service -> service.name().equals(wanted))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no service " + wanted));
    }

    private Knob knob(String service, String wanted) {
        Knob knob = service(service).knobs().get(wanted);
        if (knob == null) {
            throw new IllegalArgumentException("no knob " + wanted + " of " + service);
        }
        return knob;
    }

    private ServiceSpec withKnob(ServiceSpec old, String name, String value) {
        Knob knob = knob(old.name(), name);
        return old.with(
                put(old.knobs(), name, new Knob(value, knob.moves(), knob.max(), knob.to())));
    }

    /// The same experiment with another program of the same name.
    public Experiment with(ServiceSpec changed) {
        if (load instanceof LoadSpec.Command(var program, var duration, var measure)
                && program.name().equals(changed.name())) {
            return withLoad(new LoadSpec.Command(changed, duration, measure));
        }
        List<ServiceSpec> all = new ArrayList<>(services);
        all.replaceAll(service -> service.name().equals(changed.name()) ? changed : service);
        return with(List.copyOf(all), sandbox, load);
    }

    /// The same experiment with another load. Its text does not change.
    public Experiment withLoad(LoadSpec changed) {
        return with(services, sandbox, changed);
    }

    private Experiment with(
            List<ServiceSpec> otherServices, SandboxSpec otherSandbox, LoadSpec otherLoad) {
        return new Experiment(
                name, otherServices, otherSandbox, otherLoad, tries, goal, repeat, objective, text);
    }

    /// A copy in the same order, which commands and reports show.
    private static <V> Map<String, V> put(Map<String, V> old, String key, V value) {
        Map<String, V> copy = new LinkedHashMap<>(old);
        copy.put(key, value);
        return Collections.unmodifiableMap(copy);
    }
}

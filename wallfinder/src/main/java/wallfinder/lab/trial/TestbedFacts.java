package wallfinder.lab.trial;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Placeholders;
import wallfinder.experiment.Resolver;
import wallfinder.experiment.SandboxSpec;
import wallfinder.experiment.ServiceSpec;
import wallfinder.linux.SockDiag;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.JvmFacts;
import wallfinder.observation.SandboxFacts;
import wallfinder.record.RunRecord;
import wallfinder.sampling.Listeners;
import wallfinder.sandbox.Jvm;
import wallfinder.sandbox.RunningJvm;
import wallfinder.sandbox.Sandbox;
import wallfinder.sandbox.Service;

/// What is known of a sandbox with the services of an experiment: what was set, and what runs.
record TestbedFacts(Experiment experiment, Sandbox sandbox, SockDiag serverSockets) {
    SandboxFacts of(List<Service> services) {
        return facts(services.stream().map(this::facts).toList());
    }

    /// The same, with the load command among the services.
    ///
    /// @param runtime the load command's JVM while it ran, or null
    SandboxFacts of(List<Service> services, Service load, @Nullable JvmFacts runtime) {
        List<SandboxFacts.ServiceFacts> all = new ArrayList<>();
        services.forEach(service -> all.add(facts(service)));
        all.add(facts(load, List.of(), List.of(), runtime));
        return facts(List.copyOf(all));
    }

    private SandboxFacts facts(List<SandboxFacts.ServiceFacts> programs) {
        BitSet server = sandbox.cpus().server();
        BitSet client = sandbox.cpus().client();
        return new SandboxFacts(
                sandbox.isolation(),
                settings(End.SERVER),
                settings(End.CLIENT),
                server.cardinality(),
                client.cardinality(),
                server.intersects(client),
                sandbox.most(),
                true,
                programs,
                caveats(programs));
    }

    /// The kernel settings and the resolver of one end.
    private SortedMap<String, String> settings(End end) {
        SortedMap<String, String> settings = new TreeMap<>(sandbox.sysctls(end));
        Resolver resolver = experiment.sandbox().resolver(end == End.SERVER);
        if (resolver != null) {
            settings.put("resolver", Placeholders.fill(resolver.text(), sandbox.names(Map.of())));
        }
        return settings;
    }

    /// Also doubts about JVMs without a class archive: they start later and need more memory.
    private List<Caveat> caveats(List<SandboxFacts.ServiceFacts> programs) {
        List<Caveat> caveats = new ArrayList<>(sandbox.caveats());
        for (SandboxFacts.ServiceFacts program : programs) {
            JvmFacts jvm = program.runtime();
            if (jvm != null && !jvm.usesArchive()) {
                String name = program.name();
                caveats.add(Doubt.NO_CLASS_ARCHIVE.about(name, name, jvm.version(), jvm.archive()));
            }
        }
        return List.copyOf(caveats);
    }

    private SandboxFacts.ServiceFacts facts(Service service) {
        List<Integer> listens = Listeners.placesOf(serverSockets, service.pid()).ports();
        List<String> unix = Listeners.unixSocketsOf(serverSockets, service.pid());
        return facts(service, listens, unix, RunningJvm.of(service.pids()).orElse(null));
    }

    private SandboxFacts.ServiceFacts facts(
            Service service,
            List<Integer> listens,
            List<String> unixSockets,
            @Nullable JvmFacts seen) {
        ServiceSpec spec =
                experiment.programs().stream()
                        .filter(s -> s.name().equals(service.name()))
                        .findFirst()
                        .orElseThrow();
        // If the JVM has ended, its facts follow from its command.
        JvmFacts runtime =
                seen == null && spec.command().contains("{jvm}")
                        ? Jvm.of(spec.jvm()).facts(service.command())
                        : seen;
        return new SandboxFacts.ServiceFacts(
                service.name(),
                service.pid(),
                listens,
                unixSockets,
                settings(spec),
                runtime == null ? null : runtime.version(),
                runtime);
    }

    private static SortedMap<String, String> settings(ServiceSpec spec) {
        SortedMap<String, String> settings = new TreeMap<>();
        spec.knobs().forEach((name, knob) -> settings.put(name, knob.value()));
        var limits = spec.limits();
        put(settings, spec.name() + ".cpus", limits.cpus());
        put(settings, spec.name() + ".memory", limits.memoryBytes());
        put(settings, spec.name() + ".tcpMemory", limits.tcpMemoryBytes());
        put(settings, spec.name() + ".swap", limits.swapBytes());
        put(settings, spec.name() + ".nofile", limits.nofile());
        put(settings, spec.name() + ".pids", limits.pids());
        return settings;
    }

    private static void put(Map<String, String> settings, String name, @Nullable Object value) {
        if (value != null) {
            settings.put(name, value.toString());
        }
    }

    /// What was set, without the load.
    SortedMap<String, String> factors(long startNanos) {
        SortedMap<String, String> factors = new TreeMap<>();
        factors.put(RunRecord.START_SECONDS, String.format(Locale.ROOT, "%.3f", startNanos / 1e9));
        experiment.programs().forEach(program -> factors.putAll(settings(program)));
        SandboxSpec spec = experiment.sandbox();
        spec.server().forEach((name, value) -> factors.put("server." + name, value));
        spec.client().forEach((name, value) -> factors.put("client." + name, value));
        for (End end : List.of(End.SERVER, End.CLIENT)) {
            Resolver resolver = spec.resolver(end == End.SERVER);
            if (resolver != null) {
                factors.put(end.word() + ".resolver", resolver.text());
            }
        }
        return factors;
    }
}

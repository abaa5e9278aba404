package wallfinder.lab.doctor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import wallfinder.diagnosis.LoadNeeds;
import wallfinder.diagnosis.Preflight;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.Knob;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.WallId;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.SandboxTestbed;
import wallfinder.lab.trial.TrialHosts;
import wallfinder.load.HoldPlan;
import wallfinder.load.LoadPlan;
import wallfinder.observation.Bound;
import wallfinder.observation.Bound.Kind;
import wallfinder.observation.End;
import wallfinder.observation.RequestCost;
import wallfinder.sampling.HostBounds;
import wallfinder.sampling.Listeners;
import wallfinder.sampling.SettingFiles;
import wallfinder.sampling.SettingOrigin;

/// The preflight of an experiment. Its services run in its sandbox without load.
public final class DoctorOfSandbox {
    /// The kind of pool that a knob sizes, by the wall that the knob moves.
    private static final Map<WallId, Kind> POOLS =
            Map.of(
                    WallId.SERVER_CONCURRENCY, Kind.CONCURRENCY,
                    WallId.CLIENT_CONNECTIONS, Kind.CONNECTION_POOL);

    private final Experiment experiment;
    private final SandboxTestbed testbed;
    private final HostBounds client;
    private final HostBounds server;

    private DoctorOfSandbox(Experiment experiment, SandboxTestbed testbed) {
        this.experiment = experiment;
        this.testbed = testbed;
        this.client = new HostBounds(End.CLIENT, origin("client", experiment.sandbox().client()));
        this.server = new HostBounds(End.SERVER, origin("server", experiment.sandbox().server()));
    }

    /// @param probe whether to send the services a few requests
    public static Doctor.Findings experiment(
            Experiment experiment, boolean probe, RunContext context) {
        try (SandboxTestbed testbed = TrialHosts.here(context).open(experiment, "doctor")) {
            return new DoctorOfSandbox(experiment, testbed).examine(probe);
        }
    }

    private static SettingOrigin origin(String end, Map<String, String> given) {
        SettingFiles ofHost = new SettingFiles(Path.of("/"));
        return (name, value) ->
                given.containsKey(name) || HostBounds.isOfNamespace(name)
                        ? new Bound.Setter(
                                given.containsKey(name)
                                        ? name + " under sandbox: " + end
                                        : name + ", the default of a new namespace",
                                List.of("sandbox: { " + end + ": { " + name + ": {to} } }"))
                        : ofHost.of(name, value);
    }

    private Doctor.Findings examine(boolean probe) {
        List<Bound> bounds = new ArrayList<>();
        bounds.addAll(testbed.inside(End.CLIENT, client::network));
        bounds.addAll(testbed.inside(End.SERVER, server::network));
        bounds.addAll(testbed.inside(End.SERVER, server::host));
        boolean own = testbed.inside(End.SERVER, HostBounds::ownTable);
        bounds.addAll(testbed.inside(End.SERVER, () -> server.table(!own)));
        if (own) {
            bounds.addAll(testbed.inside(End.CLIENT, () -> client.table(false)));
        }
        return switch (experiment.load()) {
            case LoadSpec.Http http -> http(http, probe, bounds);
            case LoadSpec.Hold hold -> hold(hold, bounds);
            case LoadSpec.Command ignored -> {
                bounds.addAll(testbed.inside(End.CLIENT, () -> client.ports(null, false)));
                for (long pid : testbed.processes()) {
                    bounds.addAll(service(pid, List.of()));
                }
                LoadNeeds needs =
                        new LoadNeeds(0, Double.NaN, true, false, true, 1, 1, true, false);
                yield new Doctor.Findings(
                        Preflight.limits(needs, RequestCost.UNKNOWN, bounds), List.of());
            }
        };
    }

    private Doctor.Findings http(LoadSpec.Http http, boolean probe, List<Bound> bounds) {
        LoadPlan plan = testbed.plan(http, 1);
        bounds.add(ports(plan));
        bounds.add(Doctor.generator(Doctor.threads(http)));
        int port = testbed.port(http);
        long owner = owner(port);
        bounds.addAll(service(owner, List.of(port)));
        for (ServiceSpec spec : experiment.services()) {
            spec.knobs().forEach((name, knob) -> addPool(name, knob, bounds));
        }
        LoadNeeds needs =
                Doctor.needs(
                        http,
                        true,
                        false,
                        Math.max(1, plan.sources().addresses().size()),
                        1,
                        true,
                        false);
        RequestCost cost =
                probe ? probe(http, owner, ServiceBounds.ofJvm(bounds)) : RequestCost.UNKNOWN;
        return new Doctor.Findings(Preflight.limits(needs, cost, bounds), List.of());
    }

    private Doctor.Findings hold(LoadSpec.Hold hold, List<Bound> bounds) {
        HoldPlan plan = testbed.plan(hold);
        HoldSpec spec = plan.spec();
        bounds.addAll(testbed.inside(End.CLIENT, () -> client.ports(plan.target(), false)));
        bounds.add(Doctor.generator(plan.threads()));
        List<Integer> ports =
                IntStream.range(spec.port(), spec.port() + spec.ports()).boxed().toList();
        bounds.addAll(service(owner(spec.port()), ports));
        LoadNeeds needs =
                new LoadNeeds(
                        spec.connections(),
                        Double.NaN,
                        true,
                        false,
                        false,
                        plan.sources().addresses().size(),
                        spec.ports(),
                        true,
                        true);
        return new Doctor.Findings(Preflight.limits(needs, RequestCost.UNKNOWN, bounds), List.of());
    }

    private long owner(int port) {
        return testbed.inside(
                End.SERVER,
                () ->
                        Listeners.ownerOf(port) instanceof Listeners.Owner.Found found
                                ? found.pid()
                                : lastProcess());
    }

    private long lastProcess() {
        long[] processes = testbed.processes();
        return processes[processes.length - 1];
    }

    private List<Bound> service(long pid, List<Integer> ports) {
        return testbed.inside(
                End.SERVER,
                () ->
                        ServiceBounds.of(
                                server, ports.isEmpty() ? ServiceBounds.ports(pid) : ports, pid));
    }

    private RequestCost probe(LoadSpec.Http http, long pid, boolean jvm) {
        LoadSpec.Http closed = http.closedByOneThread();
        try (CostProbe probe = new CostProbe(n -> testbed.plan(closed, n), pid, jvm)) {
            return probe.measure();
        }
    }

    /// In a namespace without other users the engine chooses the ports, outside the kernel's range.
    private static Bound ports(LoadPlan plan) {
        return new Bound(
                Kind.LOCAL_PORTS,
                End.CLIENT,
                plan.sources().portMax() - plan.sources().portMin() + 1,
                Double.NaN,
                60,
                new Bound.Setter("the engine, in a separate namespace", List.of()),
                "the sandbox");
    }

    private static void addPool(String name, Knob knob, List<Bound> bounds) {
        Kind kind = POOLS.get(knob.moves());
        if (kind != null && knob.value().matches("[1-9]\\d{0,8}")) {
            bounds.add(Doctor.pool(kind, Long.parseLong(knob.value()), name));
        }
    }
}

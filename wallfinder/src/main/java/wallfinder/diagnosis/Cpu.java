package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;

/// The service uses all the CPU that it is allowed, or one of its threads uses a whole CPU. A
/// service that nothing else stops ends up here. No setting moves this wall, only less work or more
/// CPUs.
public record Cpu() implements Wall {
    /// The CPU causes a long tail without a bend only if it is nearly always busy.
    private static final double TAIL_SHARE = 0.9;

    /// A client under study also needs time to start and to end.
    private static final double CLIENT_SHARE = 0.9;

    /// A program with a shorter life does little but start.
    private static final double CLIENT_SECONDS_MIN = 2;

    /// Errors that do not depend on the CPU.
    private static final List<ErrorKind> AT_ONCE =
            List.of(
                    ErrorKind.CLOSED,
                    ErrorKind.RESET,
                    ErrorKind.CONNECT_REFUSED,
                    ErrorKind.CONNECT_RESET,
                    ErrorKind.MALFORMED);

    @Override
    public WallId id() {
        return WallId.CPU;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        Judgement server = server(observation, symptoms, others);
        boolean named =
                server instanceof Judgement.Binds
                        || binds(others, WallId.CPU_STEAL)
                        || binds(others, WallId.SOFTIRQ_CPU)
                        || binds(others, WallId.TLS_HANDSHAKES);
        // A client whose requests fail at once also retries at once.
        return !named && !symptoms.errorsBegin() && saturatesClient(observation)
                ? client(observation)
                : server;
    }

    private static boolean binds(Judgements others, WallId wall) {
        return others.of(wall) instanceof Judgement.Binds;
    }

    private Judgement client(Observation observation) {
        List<Evidence> evidence = new ArrayList<>(CpuEvidence.used(observation, End.CLIENT));
        evidence.addAll(CpuEvidence.busiest(observation, End.CLIENT));
        return new Judgement.Binds(this, End.CLIENT, Harm.THROUGHPUT, List.copyOf(evidence));
    }

    /// Whether a client under study uses all the CPU that it is allowed.
    static boolean saturatesClient(Observation observation) {
        double seconds = Symptoms.watchedSeconds(observation);
        double cpus = observation.facts().clientCpus();
        double used = largest(observation, ProcessFigure.CPU) / seconds;
        double thread = largest(observation, ProcessFigure.BUSIEST_THREAD) / seconds;
        return observation.load() instanceof LoadOutcome.Command
                && seconds >= CLIENT_SECONDS_MIN
                && (used >= CLIENT_SHARE * cpus || thread >= CpuUse.ALWAYS_SHARE);
    }

    private static double largest(Observation observation, ProcessFigure figure) {
        return observation
                .timeline()
                .all(figure, End.CLIENT)
                .mapToDouble(Series::growth)
                .filter(growth -> growth > 0)
                .max()
                .orElse(0);
    }

    private Judgement server(Observation observation, Symptoms symptoms, Judgements others) {
        if (!observation.facts().serverWatched()) {
            return new Judgement.Unknown(this, Missing.SERVER);
        }
        CpuUse cpu = symptoms.cpu();
        String used = cpu.describe() + CpuEvidence.lost(cpu);
        if (CpuQuota.mostlyStops(observation)) {
            return new Judgement.Clear(this, "the CPU quota ends first; " + used);
        }
        if (binds(others, WallId.CPU_STEAL)) {
            return new Judgement.Clear(this, "others use its CPUs; " + used);
        }
        if (binds(others, WallId.SOFTIRQ_CPU)) {
            return new Judgement.Clear(
                    this, "a CPU handles packets in the services' time; " + used);
        }
        if (!symptoms.cpuSaturated()) {
            return CpuUse.mayHideFullThread(observation)
                    ? new Judgement.Unknown(this, Missing.BUSIEST_THREAD)
                    : new Judgement.Clear(this, used);
        }
        String cause = others.cause(id());
        if (cause != null && binds(others, WallId.TLS_HANDSHAKES)) {
            return new Judgement.Clear(this, cause + "; " + used);
        }
        boolean starved = cpu.share() < cpu.lostShare();
        boolean working = !(observation.load() instanceof LoadOutcome.Unseen) || !starved;
        // If the load was not seen, nobody knows whether the service had work: a thread that wakes
        // up for a moment also waits for a CPU.
        if (!working || (symptoms.known() && !harmed(observation, symptoms, cause))) {
            return new Judgement.Near(this, End.SERVER, evidence(observation, symptoms), used);
        }
        return new Judgement.Binds(
                this, End.SERVER, harm(observation, symptoms), evidence(observation, symptoms));
    }

    /// Whether the services were slow for want of CPU.
    static boolean harmed(Observation observation, Symptoms symptoms) {
        return harmed(observation, symptoms, null);
    }

    private static boolean harmed(
            Observation observation, Symptoms symptoms, @Nullable String cause) {
        return slowed(observation, symptoms) || (cause == null && failsSlowly(observation));
    }

    private static boolean slowed(Observation observation, Symptoms symptoms) {
        return (symptoms.throughputBends() && nearlyAlways(symptoms.cpu()))
                || symptoms.surelyBends()
                || (symptoms.tailJumps() && nearlyAlways(symptoms.cpu()))
                || (symptoms.leavesUnanswered() && observation.load().answered() == 0);
    }

    private static boolean nearlyAlways(CpuUse cpu) {
        return cpu.wantedShare() >= TAIL_SHARE || cpu.neverSleeps();
    }

    static Harm harm(Observation observation, Symptoms symptoms) {
        if (symptoms.throughputBends()) {
            return Harm.THROUGHPUT;
        }
        return slowed(observation, symptoms) || !symptoms.errorsBegin()
                ? Harm.LATENCY
                : Harm.ERRORS;
    }

    /// A service without enough CPU answers late or never. More CPU does not cure other errors.
    private static boolean failsSlowly(Observation observation) {
        LoadOutcome load = observation.load();
        long atOnce = AT_ONCE.stream().mapToLong(kind -> load.errors(kind)).sum();
        long others = load.networkErrors() - atOnce;
        return others > Symptoms.ERROR_SHARE * (load.answered() + load.networkErrors());
    }

    private static List<Evidence> evidence(Observation observation, Symptoms symptoms) {
        List<Evidence> evidence = new ArrayList<>(CpuEvidence.used(observation, End.SERVER));
        if (symptoms.cpu().threadSaturated()) {
            evidence.addAll(CpuEvidence.busiest(observation, End.SERVER));
        }
        if (!symptoms.cpu().saturated()) {
            evidence.add(CpuEvidence.ofBatches(symptoms));
        }
        evidence.addAll(CpuEvidence.taken(observation));
        return List.copyOf(evidence);
    }

    /// The counters cover the whole watch.
    @Override
    public double lasted(Judgement.Binds binds, Observation observation) {
        return 1;
    }

    /// How busy a service is depends on the generator.
    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.TIMING;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return List.of();
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        if (binds.end() == End.CLIENT) {
            return List.of(
                    new Advice("profile the client and do less work for each request", "your time"),
                    new Advice("give it more CPUs, or spread it over more hosts", "hardware"));
        }
        boolean oneThread = CpuUse.of(observation).wantedShare() < CpuUse.SATURATED_SHARE;
        return List.of(
                new Advice(
                        "do less work for each request: a profile shows what the CPU does (wallfinder profile)",
                        "your time",
                        "do less work for each request: begin with the first rows of the profile"),
                new Advice(
                        oneThread
                                ? "run more of its processes or threads, because one can use one CPU at most, or use a faster CPU"
                                : "give it more or faster CPUs",
                        "hardware"));
    }
}

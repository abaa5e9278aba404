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

/// The service uses all the CPU it may run on, or one of its threads uses a whole CPU. Where
/// nothing else stops a service, it ends here; no setting moves this wall, only less work or more
/// CPUs.
public record Cpu() implements Wall {
    /// A tail without a bend has other causes more often: only a CPU that is nearly always busy
    /// makes it.
    private static final double TAIL_SHARE = 0.9;

    /// A client that is under study itself starts and ends within its time.
    private static final double CLIENT_SHARE = 0.9;

    /// In a shorter life most of what a program does is to start.
    private static final double CLIENT_SECONDS_MIN = 2;

    /// How a service fails whatever CPU it has.
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
        Judgement server = server(observation, symptoms, others.cause(id()));
        boolean named = server instanceof Judgement.Binds;
        // Who fails at once tries again at once.
        return !named && !symptoms.errorsBegin() && saturatesClient(observation)
                ? client(observation)
                : server;
    }

    private Judgement client(Observation observation) {
        List<Evidence> evidence = new ArrayList<>(CpuEvidence.used(observation, End.CLIENT));
        evidence.addAll(CpuEvidence.busiest(observation, End.CLIENT));
        return new Judgement.Binds(this, End.CLIENT, Harm.THROUGHPUT, List.copyOf(evidence));
    }

    /// A client that is under study itself uses all the CPU that it may.
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

    private Judgement server(Observation observation, Symptoms symptoms, @Nullable String cause) {
        if (!observation.facts().serverWatched()) {
            return new Judgement.Unknown(this, Missing.SERVER);
        }
        CpuUse cpu = symptoms.cpu();
        String used = cpu.told() + CpuEvidence.lost(cpu);
        if (CpuQuota.throttledShare(observation) >= CpuQuota.BINDING_SHARE) {
            return new Judgement.Clear(this, "the CPU quota ends first; " + used);
        }
        if (!cpu.saturated()) {
            return new Judgement.Clear(this, used);
        }
        boolean starved = cpu.share() < cpu.lostShare();
        boolean working = !(observation.load() instanceof LoadOutcome.Unseen) || !starved;
        // Whether it had work to do is not known of an unseen load: threads that were woken for
        // little wait, too.
        if (!working || (symptoms.known() && !harmed(observation, symptoms, cause))) {
            return new Judgement.Near(this, End.SERVER, evidence(observation, cpu), used);
        }
        return new Judgement.Binds(
                this, End.SERVER, harm(observation, symptoms), evidence(observation, cpu));
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

    private static Harm harm(Observation observation, Symptoms symptoms) {
        if (symptoms.throughputBends()) {
            return Harm.THROUGHPUT;
        }
        return slowed(observation, symptoms) || !symptoms.errorsBegin()
                ? Harm.LATENCY
                : Harm.ERRORS;
    }

    /// A service without CPU answers late or not at all. What it closes, refuses or answers
    /// wrongly, it would do with any CPU.
    private static boolean failsSlowly(Observation observation) {
        LoadOutcome load = observation.load();
        long others = load.networkErrors();
        for (ErrorKind kind : AT_ONCE) {
            others -= load.errors(kind);
        }
        return others > Symptoms.ERROR_SHARE * (load.answered() + load.networkErrors());
    }

    private static List<Evidence> evidence(Observation observation, CpuUse cpu) {
        List<Evidence> evidence = new ArrayList<>(CpuEvidence.used(observation, End.SERVER));
        if (cpu.threadSaturated()) {
            evidence.addAll(CpuEvidence.busiest(observation, End.SERVER));
        }
        evidence.addAll(CpuEvidence.taken(observation));
        return List.copyOf(evidence);
    }

    /// The counters are compared over the whole watch, so what they say lasted as long.
    @Override
    public double lasted(Judgement.Binds binds, Observation observation) {
        return 1;
    }

    /// How busy a service is depends on what the generator asks.
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
                    new Advice("profile the client and do less work a request", "your time"),
                    new Advice("give it more CPUs, or spread it over more hosts", "hardware"));
        }
        return List.of(
                new Advice("profile the service and do less work a request", "your time"),
                new Advice(
                        "give it more or faster CPUs, or run more of its processes", "hardware"));
    }
}

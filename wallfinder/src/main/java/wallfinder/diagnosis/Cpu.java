package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.observation.End;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// The service uses all the CPU it may run on, or one of its threads uses a whole CPU. Where
/// nothing else stops a service, it ends here; no setting moves this wall, only less work or more
/// CPUs.
public record Cpu() implements Wall {
    static final double SATURATED_SHARE = 0.9;
    static final double SATURATED_THREAD_SHARE = 0.95;

    /// Less than this belongs to any host.
    private static final double LOST_SHARE_TOLD = 0.05;

    /// In a shorter life most of what a program does is to start.
    private static final double CLIENT_SECONDS_MIN = 2;

    /// A service that leaves more than this idle may still be slowed by a single thread, not by the
    /// CPUs.
    private static final double THROTTLED_PERIODS_SHARE = 0.1;

    /// How a service fails whatever CPU it has.
    private static final List<ErrorKind> AT_ONCE =
            List.of(
                    ErrorKind.CLOSED,
                    ErrorKind.RESET,
                    ErrorKind.CONNECT_REFUSED,
                    ErrorKind.CONNECT_RESET,
                    ErrorKind.MALFORMED);

    @Override
    public String id() {
        return "cpu";
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms) {
        Judgement server = server(observation, symptoms);
        if (server instanceof Judgement.Binds || !observation.load().ofCommand()) {
            return server;
        }
        // Who fails at once tries again at once.
        return symptoms.errorsBegin() ? server : ofClient(observation).orElse(server);
    }

    /// A client that is under study itself uses all the CPU that it may.
    private Optional<Judgement> ofClient(Observation observation) {
        double seconds = Symptoms.watchedSeconds(observation);
        double cpus = observation.facts().clientCpus();
        double used = largest(observation, "].cpu") / seconds;
        double thread = largest(observation, "].busiestThread") / seconds;
        boolean saturated = used >= SATURATED_SHARE * cpus;
        if (seconds < CLIENT_SECONDS_MIN || !(saturated || thread >= SATURATED_THREAD_SHARE)) {
            return Optional.empty();
        }
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(used(End.CLIENT, "the client", used, (int) cpus));
        if (thread >= SATURATED_THREAD_SHARE) {
            evidence.add(busiest(End.CLIENT, thread));
        }
        return Optional.of(
                new Judgement.Binds(this, End.CLIENT, Harm.THROUGHPUT, List.copyOf(evidence)));
    }

    static boolean saturatesClient(Observation observation) {
        return observation.load().ofCommand() && new Cpu().ofClient(observation).isPresent();
    }

    private static double largest(Observation observation, String suffix) {
        return observation
                .timeline()
                .all("process[", suffix, End.CLIENT)
                .mapToDouble(Series::growth)
                .filter(growth -> growth > 0)
                .max()
                .orElse(0);
    }

    private static Evidence used(End end, String who, double used, int cpus) {
        return Figures.against(
                "process.cpu",
                end,
                used,
                cpus,
                "/proc/PID/stat",
                "%s used %.2f of %d CPU(s)".formatted(who, used, cpus));
    }

    private static Evidence busiest(End end, double share) {
        return Figures.against(
                "process.busiestThread",
                end,
                share,
                1.0,
                "/proc/PID/task/TID/stat",
                "one thread used %s of a CPU: it can use no more than one"
                        .formatted(Figures.percent(share)));
    }

    private Judgement server(Observation observation, Symptoms symptoms) {
        if (!observation.facts().serverWatched()) {
            return new Judgement.Clear(this, "not known: the server was not watched");
        }
        String used =
                "the services used %s of their %d CPU(s)%s"
                        .formatted(
                                Figures.percent(symptoms.serverCpuShare()),
                                observation.facts().serverCpus(),
                                lost(symptoms));
        if (CpuQuota.throttledShare(observation) >= THROTTLED_PERIODS_SHARE) {
            return new Judgement.Clear(this, "the CPU quota ends first; " + used);
        }
        if (!symptoms.cpuSaturated()) {
            return new Judgement.Clear(this, used);
        }
        boolean starved = symptoms.serverCpuShare() < symptoms.serverCpuLostShare();
        if (!observation.load().seen() && starved) {
            // Whether it had work to do is not known: threads that were woken for little wait, too.
            return new Judgement.Near(this, End.SERVER, evidence(observation, symptoms), used);
        }
        boolean slowed =
                symptoms.throughputBends()
                        || symptoms.tailJumps()
                        || (symptoms.leavesUnanswered() && observation.load().answered() == 0);
        if (symptoms.known() && !slowed && !failsSlowly(observation, symptoms)) {
            return new Judgement.Near(this, End.SERVER, evidence(observation, symptoms), used);
        }
        Harm harm =
                symptoms.throughputBends()
                        ? Harm.THROUGHPUT
                        : slowed || !symptoms.errorsBegin() ? Harm.LATENCY : Harm.ERRORS;
        return new Judgement.Binds(this, End.SERVER, harm, evidence(observation, symptoms));
    }

    /// A service without CPU answers late or not at all. What it closes, refuses or answers
    /// wrongly, or has no descriptor for, it would do with any CPU.
    private static boolean failsSlowly(Observation observation, Symptoms symptoms) {
        if (FileDescriptors.stopsAccepting(observation, symptoms)) {
            return false;
        }
        LoadOutcome load = observation.load();
        long others = load.networkErrors();
        for (ErrorKind kind : AT_ONCE) {
            others -= load.errors().getOrDefault(kind.word(), 0L);
        }
        return others > Symptoms.ERROR_SHARE * (load.answered() + load.networkErrors());
    }

    /// What others took, in words; nothing if it is not worth telling.
    static String lost(Symptoms symptoms) {
        return symptoms.serverCpuLostShare() < LOST_SHARE_TOLD
                ? ""
                : ", and waited for %s that others used"
                        .formatted(Figures.percent(symptoms.serverCpuLostShare()));
    }

    private static List<Evidence> evidence(Observation observation, Symptoms symptoms) {
        List<Evidence> evidence = new ArrayList<>();
        int cpus = observation.facts().serverCpus();
        if (symptoms.serverCpuLostShare() >= LOST_SHARE_TOLD) {
            evidence.add(
                    Figures.against(
                            "process.waiting",
                            End.SERVER,
                            symptoms.serverCpuLostShare() * cpus,
                            cpus,
                            "/proc/PID/task/TID/schedstat",
                            "the services waited for %.2f CPU(s) that others used"
                                    .formatted(symptoms.serverCpuLostShare() * cpus)));
        }
        if (symptoms.cpuWantedShare() >= SATURATED_SHARE) {
            evidence.add(used(End.SERVER, "the services", symptoms.serverCpuShare() * cpus, cpus));
        }
        if (symptoms.busiestThreadWantedShare() >= SATURATED_THREAD_SHARE) {
            evidence.add(busiest(End.SERVER, symptoms.busiestThreadShare()));
        }
        return evidence;
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

package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.HandshakeCost;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Unloaded;

/// The CPU is full, and most of it goes into TLS handshakes. In a full handshake the server signs
/// with its private key (RFC 8446, section 4.4.3), which may take longer than the answer itself.
public record TlsHandshakes() implements Wall {
    /// Half of the CPU time, and a fifth more: a service that rests between handshakes needs up to
    /// a quarter more CPU time for each of them than a busy one.
    private static final double CPU_SHARE_MIN = 0.6;

    /// Clients that keep their connections make one handshake for many answers. The opening of
    /// their connections is no wall: it passes.
    private static final double HANDSHAKES_EACH_MIN = 0.5;

    @Override
    public WallId id() {
        return WallId.TLS_HANDSHAKES;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        return observation.load() instanceof LoadOutcome.Requests load
                ? judge(load, observation, symptoms, others)
                : new Judgement.Unknown(
                        this, Missing.ANSWERS, "not known: the handshakes were not counted");
    }

    private Judgement judge(
            LoadOutcome.Requests load,
            Observation observation,
            Symptoms symptoms,
            Judgements others) {
        if (load.tls() == null) {
            return new Judgement.Clear(this, "the load uses no TLS");
        }
        String counted = counted(load);
        if (load.fullHandshakes() == 0
                || load.fullHandshakes() < HANDSHAKES_EACH_MIN * load.answered()) {
            return new Judgement.Clear(this, counted);
        }
        CpuUse cpu = symptoms.cpu();
        if (CpuQuota.mostlyStops(observation)) {
            return new Judgement.Clear(this, "the CPU quota ends first; " + cpu.describe());
        }
        if (!cpu.saturated()) {
            return new Judgement.Clear(this, cpu.describe());
        }
        if (others.of(WallId.CPU_STEAL) instanceof Judgement.Binds) {
            return new Judgement.Clear(this, "others use its CPUs; " + cpu.describe());
        }
        HandshakeCost cost = cost(observation.unloaded());
        if (cost == null) {
            return new Judgement.Unknown(
                    this, Missing.ALONE, "not known: the cost of a handshake was not measured");
        }
        double spent = cost.cpuSecondsEach() * load.fullHandshakes();
        double share = share(spent, load, cpu);
        String summary =
                "%s, and handshakes take %s of the services' CPU time"
                        .formatted(counted, EvidenceFigures.percent(Math.min(1, share)));
        if (share < CPU_SHARE_MIN) {
            return new Judgement.Clear(this, summary);
        }
        List<Evidence> evidence = evidence(load, observation, cost, spent);
        return Cpu.harmed(observation, symptoms)
                ? new Judgement.Binds(this, End.SERVER, Cpu.harm(observation, symptoms), evidence)
                : new Judgement.Near(this, End.SERVER, evidence, summary);
    }

    private static @Nullable HandshakeCost cost(@Nullable Unloaded unloaded) {
        HandshakeCost cost = unloaded == null ? null : unloaded.handshake();
        return cost != null && cost.measured() ? cost : null;
    }

    /// The load may have lasted a little longer than the services were watched.
    private static double share(double spent, LoadOutcome.Requests load, CpuUse cpu) {
        return Symptoms.share(
                Symptoms.share(spent, load.seconds()),
                Symptoms.share(cpu.usedSeconds(), cpu.seconds()));
    }

    private static String counted(LoadOutcome.Requests load) {
        return "the load made %d full handshakes for %d answers"
                .formatted(load.fullHandshakes(), load.answered());
    }

    private static List<Evidence> evidence(
            LoadOutcome.Requests load, Observation observation, HandshakeCost cost, double spent) {
        HandshakeCost.Phase alone = cost.handshakes();
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(
                EvidenceFigures.seen(
                        "tls.fullHandshakes",
                        End.CLIENT,
                        load.fullHandshakes(),
                        "generator",
                        counted(load)));
        evidence.add(
                EvidenceFigures.against(
                        "tls.handshakeCpu",
                        End.SERVER,
                        spent,
                        CpuUse.of(observation).usedSeconds(),
                        "derived: full handshakes x the CPU time of one handshake alone",
                        "a handshake alone takes %.2f ms of CPU: %d of them are %.2f CPU seconds in %.2f s"
                                .formatted(
                                        cost.cpuSecondsEach() * 1e3,
                                        load.fullHandshakes(),
                                        spent,
                                        load.seconds())));
        evidence.add(
                EvidenceFigures.seen(
                        "tls.handshakesAlone",
                        End.SERVER,
                        alone.count(),
                        "stat, while handshakes came one at a time without requests",
                        "without load, the services used %.2f CPU seconds for %d handshakes, and %.2f CPU seconds for %d connections without one"
                                .formatted(
                                        alone.cpuSeconds(),
                                        alone.count(),
                                        cost.connects().cpuSeconds(),
                                        cost.connects().count())));
        evidence.addAll(CpuEvidence.used(observation, End.SERVER));
        return List.copyOf(evidence);
    }

    /// How busy a service is depends on the generator.
    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.TIMING;
    }

    /// Only knobs of the experiment move it: keep-alive, session tickets, another key.
    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return List.of();
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        return List.of(
                new Advice(
                        "keep connections open: turn keep-alive on in the service, and let clients"
                                + " reuse connections from a pool",
                        "memory for idle connections"),
                new Advice(
                        "let clients resume sessions: session tickets, or a session cache, in the"
                                + " service and in the clients",
                        "ticket keys to change often: anyone who has them can read sessions of TLS"
                                + " 1.2"),
                new Advice(
                        "replace an RSA key by ECDSA P-256, which signs faster",
                        "a new certificate, and clients from before 2010 may not know it"),
                new Advice(
                        "end TLS on other CPUs: a proxy or a load balancer in front",
                        "hardware, and one more hop"));
    }
}

package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;

/// Other programs, or the hypervisor, use the CPUs while the services are ready to run.
///
/// Others are all programs except the services, this program and the load command. The time in
/// which the kernel handled packets counts for nobody. If the load was not seen, the client and the
/// services behind may run on the same CPUs, so only the hypervisor counts.
public record CpuSteal() implements Wall {
    /// A program that always runs gets half of a CPU that it shares with one other thread. If
    /// others take less than this share of what the services wanted, the services are nearly as
    /// slow without them.
    private static final double TAKEN_SHARE_MIN = 0.4;

    /// A service waits for a CPU only while its CPUs are busy. The rest allows for the ends of the
    /// measurement and for the ticks in which the kernel counts.
    private static final double FULL_SHARE = 0.9;

    @Override
    public WallId id() {
        return WallId.CPU_STEAL;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        if (!observation.facts().serverWatched()) {
            return new Judgement.Unknown(this, Missing.SERVER);
        }
        if (!knowsTheLoad(observation)) {
            return new Judgement.Unknown(this, Missing.READINGS);
        }
        CpuUse cpu = symptoms.cpu();
        double taken = Math.min(cpu.lostSeconds(), foreignSeconds(observation, cpu));
        double share = Symptoms.share(taken, taken + cpu.usedSeconds());
        String summary =
                "others took %s of the CPU time that the services wanted"
                        .formatted(EvidenceFigures.percent(share));
        if (CpuQuota.mostlyStops(observation)) {
            return new Judgement.Clear(this, "the CPU quota ends first; " + summary);
        }
        if (others.of(WallId.SOFTIRQ_CPU) instanceof Judgement.Binds) {
            return new Judgement.Clear(this, "a CPU handles packets; " + summary);
        }
        if (share < TAKEN_SHARE_MIN || !cpu.saturated() || fullShare(observation) < FULL_SHARE) {
            return new Judgement.Clear(this, cpu.describe() + "; " + summary);
        }
        List<Evidence> evidence = evidence(observation, cpu);
        return symptoms.known() && !Cpu.harmed(observation, symptoms)
                ? new Judgement.Near(this, End.SERVER, evidence, summary)
                : new Judgement.Binds(this, End.SERVER, Cpu.harm(observation, symptoms), evidence);
    }

    /// Older recordings do not contain what this program used.
    private static boolean knowsTheLoad(Observation observation) {
        return switch (observation.load()) {
            case LoadOutcome.Driven _ ->
                    EvidenceFigures.find(observation, LoadFigure.GENERATOR_PROGRAM_CPU, End.CLIENT)
                            .isPresent();
            case LoadOutcome.Command _, LoadOutcome.Unseen _ -> true;
        };
    }

    /// What others used of the CPUs, the hypervisor included.
    private static double foreignSeconds(Observation observation, CpuUse cpu) {
        double steal = grown(observation, EndFigure.CPUS_STEAL);
        if (observation.load() instanceof LoadOutcome.Unseen) {
            return steal;
        }
        double known =
                cpu.usedSeconds()
                        + loadSeconds(observation)
                        + grown(observation, EndFigure.CPUS_SOFTIRQ);
        return Math.max(0, grown(observation, EndFigure.CPUS_BUSY) + steal - known);
    }

    /// What this program and the load command used at most of these CPUs. If the generator has CPUs
    /// of its own, its engine threads stay there, and all other threads may run anywhere.
    private static double loadSeconds(Observation observation) {
        double program =
                observation.timeline().growth(LoadFigure.GENERATOR_PROGRAM_CPU, End.CLIENT);
        if (!observation.facts().sharedCpus()) {
            double engine = observation.timeline().growth(LoadFigure.GENERATOR_CPU, End.CLIENT);
            return Math.max(0, program - engine);
        }
        double command =
                observation
                        .timeline()
                        .all(ProcessFigure.CPU, End.CLIENT)
                        .mapToDouble(Series::growth)
                        .filter(growth -> growth > 0)
                        .sum();
        return program + command;
    }

    private static double fullShare(Observation observation) {
        double all = Symptoms.watchedSeconds(observation) * observation.facts().serverCpus();
        double full =
                grown(observation, EndFigure.CPUS_BUSY) + grown(observation, EndFigure.CPUS_STEAL);
        return Symptoms.share(full, all);
    }

    private static double grown(Observation observation, EndFigure figure) {
        return observation.timeline().growth(figure, End.SERVER);
    }

    private static List<Evidence> evidence(Observation observation, CpuUse cpu) {
        List<Evidence> evidence = new ArrayList<>();
        double foreign = foreignSeconds(observation, cpu);
        double all = cpu.seconds() * cpu.cpus();
        if (!(observation.load() instanceof LoadOutcome.Unseen)) {
            evidence.add(
                    EvidenceFigures.against(
                            "cpus.others",
                            End.SERVER,
                            foreign,
                            all,
                            "derived: cpus.busy + cpus.steal - cpus.softirq - process.cpu"
                                    + " - what the load used",
                            "others used %.2f of the %.2f CPU seconds of these CPUs"
                                    .formatted(foreign, all)));
        }
        EvidenceFigures.find(observation, EndFigure.CPUS_STEAL, End.SERVER)
                .filter(stolen -> stolen.growth() > 0)
                .ifPresent(stolen ->
                        evidence.add(
                                EvidenceFigures.growth(
                                        stolen,
                                        "the hypervisor took %.2f CPU seconds of these CPUs"
                                                .formatted(stolen.growth()))));
        evidence.addAll(CpuEvidence.taken(observation));
        evidence.addAll(CpuEvidence.used(observation, End.SERVER));
        return List.copyOf(evidence);
    }

    /// The counters cover the whole watch.
    @Override
    public double lasted(Judgement.Binds binds, Observation observation) {
        return 1;
    }

    /// How much CPU a service wants depends on the generator.
    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.TIMING;
    }

    /// The other programs are no part of the experiment, so none of its settings moves them.
    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return List.of();
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        double steal = grown(observation, EndFigure.CPUS_STEAL);
        double foreign = foreignSeconds(observation, CpuUse.of(observation));
        if (steal >= foreign / 2) {
            return List.of(
                    new Advice(
                            "use a virtual machine with CPUs of its own, or another host: the"
                                    + " hypervisor gives these CPUs to others",
                            "hardware"));
        }
        return List.of(
                new Advice(
                        "find the other programs (top, pidstat -u 1), and stop them or move them to"
                                + " other CPUs",
                        "their work"),
                new Advice(
                        "give the service CPUs of its own (cpuset.cpus, docker --cpuset-cpus) and keep the"
                                + " others off them, or give it a larger share (cpu.weight, docker --cpu-shares)",
                        "CPU time of the others"));
    }
}

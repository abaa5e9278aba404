package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Quantity;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// TCP sockets have used up their memory: the memory of a cgroup (version 1), or that of the whole
/// host (`net.ipv4.tcp_mem`). The kernel then drops data that has arrived and was not acknowledged
/// (`tcp_try_rmem_schedule`, net/ipv4/tcp_input.c), which the sender retransmits, or the kernel
/// ends connections.
///
/// A full buffer of a single socket moves the same counters, so the proof needs both: drops, and a
/// limit that was reached.
public record TcpMemory() implements Wall {
    /// The kernel counts the memory of sockets in pages, mostly of this size. Where pages are
    /// larger, the megabytes in the text are too few. The comparison with the limit is right all
    /// the same.
    private static final double PAGE_BYTES = 4096;

    /// Sockets ask for memory in steps: this close to the limit, the kernel refuses the next step.
    private static final double FULL_SHARE = 0.95;

    /// The share of the samples that must be just below the limit.
    private static final double FULL_INSTANTS_SHARE = 0.05;

    /// A remedy raises the memory by this factor.
    private static final long FACTOR = 16;

    @Override
    public WallId id() {
        return WallId.TCP_MEMORY;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        Optional<Series> limited = cgroup(observation);
        if (limited.isEmpty() && !hostIsShort(observation)) {
            boolean read =
                    EvidenceFigures.find(observation, KernelCounter.TCP_PAGES, End.SERVER)
                                    .isPresent()
                            || EvidenceFigures.cgroupWatched(observation, CgroupFigure.TCP_MEMORY);
            return read
                    ? new Judgement.Clear(
                            this, "no limit of TCP memory was reached" + used(observation))
                    : new Judgement.Unknown(
                            this, Missing.READINGS, "unknown: the sockets' memory was not read");
        }
        End end = limited.map(s -> s.end()).orElseGet(() -> worseEnd(observation));
        List<Evidence> evidence = evidence(observation, limited, end);
        String summary = evidence.getFirst().says();
        if (!observation.facts().ownCounters(end) || dropped(observation, end) == 0) {
            return new Judgement.Near(this, end, evidence, summary + ", and no drop was seen");
        }
        if (symptoms.known() && !symptoms.stopped()) {
            return new Judgement.Near(this, end, evidence, summary + ", without harm to this load");
        }
        return new Judgement.Binds(this, end, symptoms.harm(Harm.THROUGHPUT), evidence);
    }

    /// For a cgroup, the time in which it was full; for the host, the time in which the kernel
    /// dropped something.
    @Override
    public double lasted(Judgement.Binds binds, Observation observation) {
        return cgroup(observation)
                .map(s -> fullShare(observation, s))
                .orElseGet(() ->
                        List.of(
                                        KernelCounter.RECEIVE_DROPS,
                                        KernelCounter.PRUNED,
                                        KernelCounter.ABORTS_FOR_MEMORY)
                                .stream()
                                .flatMap(key ->
                                        observation.timeline().find(key, binds.end()).stream())
                                .mapToDouble(s -> WatchedJudgement.growing(s, observation))
                                .max()
                                .orElse(0));
    }

    /// The memory of the sockets of the fullest cgroup, if it was full.
    private static Optional<Series> cgroup(Observation observation) {
        return observation
                .timeline()
                .all(CgroupFigure.TCP_MEMORY)
                .filter(s -> wasFull(observation, s))
                .max(Comparator.comparingDouble(s -> most(observation, s) / limit(observation, s)));
    }

    /// The kernel exceeds the limit only after a refusal, for a socket without memory
    /// (`sk_forced_mem_schedule`, net/ipv4/tcp_output.c), so a single sample above the limit is
    /// proof. Bursts fill the memory for milliseconds, and the lost data comes again much later.
    private static boolean wasFull(Observation observation, Series ofTheService) {
        return most(observation, ofTheService) > limit(observation, ofTheService)
                || fullShare(observation, ofTheService) >= FULL_INSTANTS_SHARE;
    }

    /// The series with the larger maximum. The kernel's own high-water mark also covers the time
    /// between two samples, but it counts only if it rose during the measurement.
    private static Series fullest(Observation observation, Series ofTheService) {
        String service = ofTheService.subject();
        return observation
                .timeline()
                .find(CgroupFigure.TCP_MEMORY_PEAK.of(service), ofTheService.end())
                .filter(peak -> peak.growth() > 0 && peak.max() > ofTheService.max())
                .orElse(ofTheService);
    }

    private static double most(Observation observation, Series ofTheService) {
        return fullest(observation, ofTheService).max();
    }

    /// The share of the samples at which the memory was full. The kernel counts refusals only for
    /// some limits (`track_failcnt`, mm/page_counter.c), not for this limit.
    private static double fullShare(Observation observation, Series ofTheService) {
        double full = FULL_SHARE * limit(observation, ofTheService);
        double[] values = ofTheService.values();
        return Symptoms.share(Arrays.stream(values).filter(v -> v >= full).count(), values.length);
    }

    /// Whether the sockets of the host are under memory pressure.
    private static boolean hostIsShort(Observation observation) {
        double pages = hostPages(observation);
        double pressure = level(observation, EndFigure.TCP_MEMORY_PRESSURE);
        return pressure > 0 && pages >= pressure;
    }

    private static double hostPages(Observation observation) {
        return level(observation, KernelCounter.TCP_PAGES);
    }

    private static double level(Observation observation, Key key) {
        return observation.timeline().max(key, End.SERVER);
    }

    private static End worseEnd(Observation observation) {
        return dropped(observation, End.CLIENT) > dropped(observation, End.SERVER)
                ? End.CLIENT
                : End.SERVER;
    }

    private static double dropped(Observation observation, End end) {
        return observation.timeline().growth(KernelCounter.RECEIVE_DROPS, end)
                + observation.timeline().growth(KernelCounter.PRUNED, end)
                + observation.timeline().growth(KernelCounter.ABORTS_FOR_MEMORY, end);
    }

    private static String used(Observation observation) {
        Optional<String> ofCgroup =
                observation
                        .timeline()
                        .all(CgroupFigure.TCP_MEMORY, End.SERVER)
                        .filter(s -> limit(observation, s) > 0)
                        .max(
                                Comparator.comparingDouble(
                                        s -> most(observation, s) / limit(observation, s)))
                        .map(s ->
                                ": the sockets of %s held %s of their %s"
                                        .formatted(
                                                s.subject(),
                                                megabytes(most(observation, s)),
                                                megabytes(limit(observation, s))));
        double limit = level(observation, EndFigure.TCP_MEMORY_LIMIT);
        return ofCgroup.orElse(
                limit > 0
                        ? ": all sockets of the host held %s of their %s"
                                .formatted(
                                        megabytes(hostPages(observation) * PAGE_BYTES),
                                        megabytes(limit * PAGE_BYTES))
                        : "");
    }

    private static double limit(Observation observation, Series ofTheService) {
        String service = ofTheService.subject();
        return observation
                .timeline()
                .last(CgroupFigure.TCP_MEMORY_LIMIT.of(service), ofTheService.end());
    }

    private static List<Evidence> evidence(
            Observation observation, Optional<Series> limited, End end) {
        List<Evidence> evidence = new ArrayList<>();
        limited.ifPresentOrElse(
                s -> ofCgroup(observation, s, evidence), () -> ofHost(observation, evidence));
        EvidenceFigures.grown(
                        observation,
                        KernelCounter.RECEIVE_DROPS,
                        end,
                        "%.0f segments that had arrived were dropped"::formatted)
                .ifPresent(evidence::add);
        EvidenceFigures.grown(
                        observation,
                        KernelCounter.PRUNED,
                        end,
                        "%.0f times a socket had to give up memory"::formatted)
                .ifPresent(evidence::add);
        EvidenceFigures.grown(
                        observation,
                        KernelCounter.ABORTS_FOR_MEMORY,
                        end,
                        "the kernel ended %.0f connections for lack of memory"::formatted)
                .ifPresent(evidence::add);
        End other = end == End.SERVER ? End.CLIENT : End.SERVER;
        EvidenceFigures.grown(
                        observation,
                        KernelCounter.RETRANSMITS,
                        other,
                        "%.0f segments were retransmitted"::formatted)
                .ifPresent(evidence::add);
        return evidence;
    }

    private static void ofCgroup(Observation observation, Series held, List<Evidence> evidence) {
        evidence.add(
                EvidenceFigures.level(
                        fullest(observation, held),
                        limit(observation, held),
                        "the sockets of %s held %s, and may hold %s; they were full in %s of the samples"
                                .formatted(
                                        held.subject(),
                                        megabytes(most(observation, held)),
                                        megabytes(limit(observation, held)),
                                        EvidenceFigures.percent(fullShare(observation, held)))));
    }

    private static void ofHost(Observation observation, List<Evidence> evidence) {
        observation
                .timeline()
                .find(KernelCounter.TCP_PAGES, End.SERVER)
                .map(s ->
                        EvidenceFigures.level(
                                s,
                                level(observation, EndFigure.TCP_MEMORY_LIMIT),
                                "all TCP sockets of the host held %.0f pages; from %.0f on the kernel is under memory pressure, and the limit is %.0f"
                                        .formatted(
                                                s.max(),
                                                level(observation, EndFigure.TCP_MEMORY_PRESSURE),
                                                level(observation, EndFigure.TCP_MEMORY_LIMIT))))
                .ifPresent(evidence::add);
    }

    private static String megabytes(double bytes) {
        return "%.1f MB".formatted(bytes / EvidenceFigures.MEGABYTE);
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.KERNEL;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        List<Remedy> remedies = new ArrayList<>();
        String limited = cgroup(observation).map(Series::subject).orElse("");
        for (ServiceSpec service : experiment.programs()) {
            Long given = service.limits().tcpMemoryBytes();
            if (given != null && service.name().equals(limited)) {
                Change change =
                        new Change(
                                new Setting.OfLimit(service.name(), Limits.Kind.TCP_MEMORY),
                                Quantity.bytesText(given),
                                Quantity.bytesText(FACTOR * given));
                remedies.add(new Remedy(List.of(change), "more kernel memory"));
            }
        }
        return List.copyOf(remedies);
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        List<Advice> advice = new ArrayList<>();
        if (cgroup(observation).isPresent()) {
            advice.add(
                    new Advice(
                            "raise memory.kmem.tcp.limit_in_bytes of the service's cgroup (version 1); in version 2 memory.max",
                            "more kernel memory"));
        } else {
            advice.add(
                    new Advice(
                            raised(observation), "kernel memory for every connection of the host"));
        }
        advice.add(
                new Advice(
                        "read incoming data sooner, or accept fewer connections at a time; bound one socket's share by net.ipv4.tcp_rmem and tcp_wmem",
                        "throughput of single connections over long distances"));
        return List.copyOf(advice);
    }

    /// The command that doubles the memory of the host's TCP sockets.
    private static String raised(Observation observation) {
        double pressure = level(observation, EndFigure.TCP_MEMORY_PRESSURE);
        double limit = level(observation, EndFigure.TCP_MEMORY_LIMIT);
        return limit > 0
                ? "sysctl -w net.ipv4.tcp_mem=\"%.0f %.0f %.0f\""
                        .formatted(1.5 * pressure, 2 * pressure, 2 * limit)
                : "sysctl -w net.ipv4.tcp_mem=\"MIN PRESSURE MAX\", in pages, twice as much as now";
    }
}

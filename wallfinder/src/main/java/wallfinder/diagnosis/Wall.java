package wallfinder.diagnosis;

import java.util.List;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.Observation;

/// Something that stops a service or its client. Adding one: CONTRIBUTING.md, "Adding a wall".
public sealed interface Wall
        permits AcceptQueue,
                CarrierPinning,
                ClientConnections,
                ConnectionChurn,
                ConntrackTable,
                Cpu,
                CpuQuota,
                EphemeralPorts,
                FileDescriptors,
                Gc,
                Heap,
                LoadGenerator,
                LoadShedding,
                MemoryLimit,
                NameLookup,
                PageCache,
                ServerConcurrency,
                SoftnetBacklog,
                SynQueue,
                TcpMemory,
                ThreadLimit,
                TimeWaitBuckets {
    /// The name in `run.json`, and of its page in docs/walls.
    WallId id();

    /// Whether it binds in this observation, and by which evidence; or what rules it out.
    ///
    /// @param others the judgements of the walls that it depends on
    Judgement judge(Observation observation, Symptoms symptoms, Judgements others);

    /// What proves that it binds: it decides whether the wall is named beside a generator that was
    /// the limit.
    Proof proof(Judgement.Binds binds);

    /// Whether only a look at the server can rule it out. Of the others the client's own counters
    /// tell enough.
    default boolean seenAtServer() {
        return true;
    }

    /// Where no client was seen: in which share of the watch, from 0 to 1, it stopped the service.
    default double lasted(Judgement.Binds binds, Observation observation) {
        return binds.evidence().isEmpty()
                ? 0
                : WatchedJudgement.share(binds.evidence().getFirst(), observation);
    }

    /// What may be turned in this experiment's sandbox, the first to be tried first.
    List<Remedy> remedies(Judgement.Binds binds, Observation observation, Experiment experiment);

    /// What a user would do on a host that we do not change.
    List<Advice> advice(Judgement.Binds binds, Observation observation);
}

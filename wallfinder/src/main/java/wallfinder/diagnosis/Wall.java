package wallfinder.diagnosis;

import java.util.List;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.Observation;

/// A limit that stops a service or its client. To add one, see CONTRIBUTING.md, "Adding a wall".
public sealed interface Wall
        permits AcceptQueue,
                Bandwidth,
                BlockedOutput,
                CarrierPinning,
                ClientConnections,
                ConnectionChurn,
                ConntrackTable,
                Cpu,
                CpuQuota,
                CpuSteal,
                DelayedAck,
                DiskIo,
                EphemeralPorts,
                FileDescriptors,
                Gc,
                Heap,
                LoadGenerator,
                LoadShedding,
                LockContention,
                MemoryLimit,
                NameLookup,
                PacketLoss,
                PageCache,
                ServerConcurrency,
                SlowDependency,
                SoftirqCpu,
                SoftnetBacklog,
                Swap,
                SynQueue,
                TcpMemory,
                TcpWindow,
                ThreadLimit,
                TimeWaitBuckets,
                TlsHandshakes {
    /// The name in `run.json` and in docs/walls.
    WallId id();

    /// Whether it binds, with the evidence, or why not.
    ///
    /// @param others the judgements of the walls that it depends on
    Judgement judge(Observation observation, Symptoms symptoms, Judgements others);

    /// What proves that it binds. If that is only timing, it proves nothing when the generator was
    /// the limit.
    Proof proof(Judgement.Binds binds);

    /// Whether enough was read to rule it out. Of a server whose process is hidden, only the
    /// kernel's figures of its port are known.
    default boolean seen(Observation observation) {
        return observation.facts().serverWatched();
    }

    /// Without a client, the share of the watch, 0 to 1, in which this wall stopped the service.
    default double lasted(Judgement.Binds binds, Observation observation) {
        return binds.evidence().isEmpty()
                ? 0
                : WatchedJudgement.share(binds.evidence().getFirst(), observation);
    }

    /// The remedies in this experiment's sandbox, the best first.
    List<Remedy> remedies(Judgement.Binds binds, Observation observation, Experiment experiment);

    /// What a user can do on a host that Wallfinder does not change.
    List<Advice> advice(Judgement.Binds binds, Observation observation);
}

package wallfinder.diagnosis;

import java.util.List;
import wallfinder.diagnosis.Budget.Part;
import wallfinder.diagnosis.Budget.Share;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.DependencyFigure;
import wallfinder.observation.End;
import wallfinder.observation.Observation;
import wallfinder.observation.PortsFigure;

/// Another service, on which the answers depend, takes longer the more requests it gets: a database
/// with a lock, a backend with too few workers. The service under load waits for it.
///
/// If a pool of connections to it is too small, the dependency answers as fast as without load, and
/// the requests wait for a connection. That is [ClientConnections].
public record SlowDependency() implements Wall {
    /// A connection of a used-up pool is idle for a moment between two requests.
    private static final double IN_USE_SHARE = 0.8;

    @Override
    public WallId id() {
        return WallId.SLOW_DEPENDENCY;
    }

    /// If all connections to a slow dependency are in use, the requests wait for a connection for
    /// longer than for the dependency.
    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        if (unseen(observation)) {
            return new Judgement.Unknown(
                    this,
                    Missing.READINGS,
                    "unknown: its connections to other services were not seen from the beginning on");
        }
        GrownPart part =
                new GrownPart(
                        this, Part.DEPENDENCY, "connections that wait for an answer from there");
        return part.judge(
                observation,
                symptoms,
                others,
                (growth, share) ->
                        growth.areCause(growth.of(Part.DEPENDENCY))
                                || (growth.matters(share) && usedUp(observation, share)));
    }

    /// No destination has figures of its own, although there were connections.
    private static boolean unseen(Observation observation) {
        return observation
                        .timeline()
                        .all(DependencyFigure.BUSY, End.SERVER)
                        .allMatch(busy -> Double.isNaN(Budget.mean(busy)))
                && observation
                        .timeline()
                        .all(PortsFigure.CONNECTED, End.SERVER)
                        .anyMatch(connected -> !(connected.max() <= 0));
    }

    private static boolean usedUp(Observation observation, Share share) {
        String address = String.valueOf(share.destination());
        return observation
                .timeline()
                .find(DependencyFigure.BUSY.of(address), End.SERVER)
                .flatMap(busy ->
                        observation
                                .timeline()
                                .beside(busy, DependencyFigure.CONNECTIONS)
                                .map(all -> Budget.mean(busy) >= IN_USE_SHARE * Budget.mean(all)))
                .orElse(false);
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.TIMING;
    }

    /// The service under load cannot make another one faster; a knob of the other one may.
    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return Remedy.raisingKnobs(
                experiment,
                id(),
                "load on that service",
                knob -> ServerConcurrency.asked(experiment, observation));
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        String address =
                Growth.of(observation).stream()
                        .flatMap(growth -> growth.of(Part.DEPENDENCY).stream())
                        .map(share -> String.valueOf(share.destination()))
                        .findFirst()
                        .orElse("that service");
        return List.of(
                new Advice(
                        ("run `wallfinder watch` at the service behind %s under this load:"
                                        + " it names the wall there")
                                .formatted(address),
                        "none"),
                new Advice(
                        "ask it less: a cache, several questions in one request, a better query",
                        "your time, and answers that are a little old"));
    }
}

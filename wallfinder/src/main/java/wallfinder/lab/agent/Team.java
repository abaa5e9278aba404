package wallfinder.lab.agent;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.UsageException;
import wallfinder.lab.trial.Generator;
import wallfinder.linux.EnvironmentException;

/// The agents that drive one load together. They begin at the same time. If one is lost, the others
/// end.
record Team(List<RemoteGenerator> agents) {
    /// How often this host looks whether an agent is lost.
    static final Duration LOOK_INTERVAL = Duration.ofMillis(100);

    /// The message with the start has to arrive before it. A slow path takes longer: the skew shows
    /// it.
    private static final Duration START_LEAD = Duration.ofMillis(500);

    /// If an agent is lost, the others wait no longer for their last answers. The trial ends within
    /// two seconds of the loss.
    private static final Duration LOST_DRAIN = Duration.ofMillis(500);

    /// The last results on a busy host, after the last answers.
    private static final Duration RESULT_MAX = Duration.ofSeconds(10);

    private static final Duration LOST_RESULT_MAX = Duration.ofMillis(800);

    /// With fewer connections than agents, only so many agents drive.
    static Team of(Generators generators, int connections) {
        List<RemoteGenerator> all = generators.agents();
        return new Team(all.subList(0, Math.min(all.size(), connections)));
    }

    int size() {
        return agents.size();
    }

    double sum(ToDoubleFunction<RemoteGenerator> figure) {
        return agents.stream().mapToDouble(figure).sum();
    }

    /// @param jobs one for each agent
    /// @param arrival what they ask for together
    /// @throws UsageException if an agent cannot use its job
    /// @throws EnvironmentException if a host does not allow it, or if an agent is lost
    List<LoadMessage.Ready> prepare(List<? extends LoadMessage> jobs, Arrival arrival) {
        for (int i = 0; i < agents.size(); i++) {
            agents.get(i).prepare(jobs.get(i), arrival);
        }
        check();
        List<LoadMessage.Ready> readies = new ArrayList<>();
        RuntimeException failure = null;
        for (RemoteGenerator agent : agents) {
            try {
                readies.add(agent.awaitReady());
            } catch (UsageException | EnvironmentException e) {
                failure = failure == null ? e : failure; // the others do not prepare for ever
            }
        }
        if (failure != null) {
            throw failure;
        }
        agents.forEach(RemoteGenerator::compareClocks);
        return readies;
    }

    /// @return when they begin
    long begin() {
        long start = System.nanoTime() + START_LEAD.toNanos();
        agents.forEach(agent -> agent.begin(start));
        return start;
    }

    /// @throws EnvironmentException if one is lost
    void check() {
        for (RemoteGenerator agent : agents) {
            if (agent.isLost()) {
                throw agent.lost();
            }
        }
    }

    boolean hasLostOne() {
        return agents.stream().anyMatch(RemoteGenerator::isLost);
    }

    boolean isComplete() {
        return agents.stream().allMatch(RemoteGenerator::isComplete);
    }

    /// Whether the load has ended, although its last answers may still be to come.
    boolean hasLastSamples() {
        return agents.stream().allMatch(RemoteGenerator::hasLastSample);
    }

    /// Ends the load, and waits for the last results.
    ///
    /// @param lost whether one is lost
    void finish(boolean lost) {
        Duration drain = lost ? LOST_DRAIN : Generator.DRAIN_MAX;
        agents.forEach(agent -> agent.finish(drain));
        long end = System.nanoTime() + drain.plus(lost ? LOST_RESULT_MAX : RESULT_MAX).toNanos();
        for (RemoteGenerator agent : agents) {
            long left = agent.isLost() ? 0 : Math.max(0, end - System.nanoTime());
            agent.awaitEnd(Duration.ofNanos(left));
        }
    }

    /// After the load, before [SeenGenerators#of].
    void compareClocks() {
        agents.stream().filter(RemoteGenerator::isComplete).forEach(RemoteGenerator::compareClocks);
    }
}

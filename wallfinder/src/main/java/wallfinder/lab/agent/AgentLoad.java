package wallfinder.lab.agent;

import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.trial.Generator;
import wallfinder.lab.trial.HostTestbed;
import wallfinder.lab.trial.Urls;
import wallfinder.linux.EnvironmentException;
import wallfinder.load.EngineChoice;
import wallfinder.load.EngineThreads;
import wallfinder.load.LoadPlan;
import wallfinder.load.LoadRun;
import wallfinder.load.SmallLoad;
import wallfinder.load.Sources;
import wallfinder.load.Variables;
import wallfinder.observation.LoadOutcome;
import wallfinder.sampling.Sampler;

/// The agent's part of a load of requests. It sends what it counted every second, and at the end.
final class AgentLoad extends AgentWork {
    /// At most so much is lost with an agent.
    private static final Duration PART_INTERVAL = Duration.ofSeconds(1);

    private static final Duration DONE_INTERVAL = Duration.ofMillis(10);

    private final LoadMessage.Plan plan;
    private final Variables variables;

    /// @param variables of all loads of this agent
    AgentLoad(LoadMessage.Plan plan, Variables variables, Consumer<Message> send) {
        super(send);
        this.plan = plan;
        this.variables = variables;
    }

    /// Sends a few requests one at a time, for the latency without load.
    static void alone(LoadMessage.Alone asked, Variables variables, Consumer<Message> send) {
        Thread.ofPlatform()
                .daemon()
                .name("probe")
                .start(() -> send.accept(answeredAlone(asked, variables)));
    }

    private static Message answeredAlone(LoadMessage.Alone asked, Variables variables) {
        try {
            LoadPlan load = plan(asked.plan(), target(asked.plan()), variables);
            Duration longest = Duration.ofNanos(asked.longestNanos());
            return new Message.OfLoad(
                    new LoadMessage.AnsweredAlone(
                            SmallLoad.probe(load, Generator.PROBES, longest)));
        } catch (RuntimeException | Error e) {
            return Agent.failed("the load", e);
        }
    }

    @Override
    void drive() {
        HostTestbed.reach(plan.http());
        LoadPlan load = plan(plan, target(plan), variables);
        try (LoadRun run = LoadRun.prepare(load, plan.http().requestsMax())) {
            run.ready();
            measure(run, awaitStart(tooMany(load), whyEpoll(run)));
        }
    }

    private static InetSocketAddress target(LoadMessage.Plan plan) {
        return HostTestbed.chosen(Urls.parse(plan.http().url()));
    }

    private static LoadPlan plan(
            LoadMessage.Plan plan, InetSocketAddress target, Variables variables) {
        LoadSpec.Http http = plan.http();
        URI url = Urls.parse(http.url());
        int ofHost = Math.multiplyExact(http.connections(), plan.ofHost().count());
        Sources sources = HostTestbed.sources(target, plan.sources(), ofHost);
        return Urls.plan(
                        http,
                        url,
                        target,
                        http.connections(),
                        sources.ports(plan.ofHost()),
                        new EngineThreads(() -> {}, new int[0], plan.engine()),
                        variables)
                .as(plan.share());
    }

    private @Nullable String whyEpoll(LoadRun run) {
        boolean fellBack =
                plan.engine() == EngineChoice.AUTO
                        && run.driver().equals(EngineChoice.EPOLL.word());
        return fellBack ? run.driverReason() : null;
    }

    /// As on one host, the load runs all the same, with an invalid result.
    private static @Nullable String tooMany(LoadPlan load) {
        try {
            LoadRun.check(load);
            return null;
        } catch (EnvironmentException e) {
            return e.getMessage() + ": " + e.todo();
        }
    }

    private void measure(LoadRun run, long startNanos) {
        run.beginAt(startNanos);
        if (plan.settle()) {
            run.awaitBegin();
            end.pause(Generator.SETTLE);
            run.awaitSchedule();
            run.mark();
        } else {
            awaitSampler(startNanos);
        }
        try (Sampler sampler = sample(List.of(run.progress(), run.progress().responseTimes()))) {
            run.awaitBegin();
            run.awaitSchedule();
            long began = run.beganNanos();
            // The schedule of an open loop begins when its connections are open.
            boolean scheduled = plan.http().arrival() instanceof Arrival.Open;
            long from = scheduled && !plan.settle() ? System.nanoTime() : began;
            long last = began;
            while (pause(run, from)) {
                if (System.nanoTime() - last >= PART_INTERVAL.toNanos()) {
                    last = System.nanoTime();
                    say(new LoadMessage.Part(false, began, counted(run.soFar())));
                }
            }
            sampler.stop();
            LoadOutcome.Requests outcome = run.finish(drain());
            sayLast(began, counted(outcome));
        }
    }

    private static LoadMessage.Outcome counted(LoadOutcome.Requests requests) {
        return new LoadMessage.Outcome(requests);
    }

    /// @return false if the load is over
    private boolean pause(LoadRun run, long fromNanos) {
        LoadSpec.Http http = plan.http();
        boolean counted = http.requestsMax() != LoadSpec.Http.NO_REQUESTS_MAX;
        long left = fromNanos + http.duration().toNanos() - System.nanoTime();
        long step = Math.min(left, (counted ? DONE_INTERVAL : PART_INTERVAL).toNanos());
        return left > 0 && !(counted && run.done()) && end.pause(Duration.ofNanos(step));
    }
}

package wallfinder.lab.agent;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.LoadSpec;
import wallfinder.load.EngineChoice;
import wallfinder.load.Probe;
import wallfinder.load.Share;
import wallfinder.observation.Caveat;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;

/// What both sides say about a load that an agent generates.
sealed interface LoadMessage {
    /// No load waits longer for its last answers.
    long DRAIN_NANOS_MAX = 60_000_000_000L;

    /// No requests one at a time take longer.
    long ALONE_NANOS_MAX = 60_000_000_000L;

    // ---- to the agent

    /// Prepare this load. The agent answers [Ready], and waits.
    ///
    /// @param http with the connections and the number of requests of this agent, and the arrival
    ///   of the whole load
    /// @param share the part of the arrival's requests
    /// @param ofAll this agent among all of the command, also those that do not drive this load
    /// @param ofHost the part of that host's ports
    /// @param settle whether the opening of the connections comes before the measured time
    record Plan(
            LoadSpec.Http http,
            List<InetAddress> sources,
            Share share,
            Share ofAll,
            Share ofHost,
            EngineChoice engine,
            boolean settle)
            implements LoadMessage {}

    /// Prepare to hold these connections. The agent answers [Ready], and waits. It holds them until
    /// it gets [Finish].
    ///
    /// @param spec with the connections of this agent
    /// @param ofHost the part of that host's ports
    /// @param memoryFloorBytes the agent ends when its host has less memory left
    record Hold(HoldSpec spec, List<InetAddress> sources, Share ofHost, long memoryFloorBytes)
            implements LoadMessage {}

    /// Begin at this instant of the agent's [System#nanoTime].
    record Begin(long nanos) implements LoadMessage {}

    /// Send no more, and wait at most so long for outstanding answers.
    record Finish(long drainNanos) implements LoadMessage {}

    /// No load runs: send a few requests of this one, one at a time, for at most so long.
    record Alone(Plan plan, long longestNanos) implements LoadMessage {}

    // ---- from the agent

    /// The load is prepared.
    ///
    /// @param host the name of the host
    /// @param bootId identifies its kernel; empty if unknown
    /// @param network identifies the network namespace within that kernel
    /// @param cpus those that the agent may run on
    /// @param tooMany what does not fit on this host; null if all fits
    /// @param epoll why epoll drives and not io_uring; null if that was asked for
    record Ready(
            String host,
            String bootId,
            String network,
            List<Integer> cpus,
            @Nullable String tooMany,
            @Nullable String epoll)
            implements LoadMessage {}

    /// Samples of the load and of the agent's end follow.
    ///
    /// @param startNanos the zero of all samples by the agent's [System#nanoTime]
    record Seeing(List<Counter> counters, long startNanos) implements LoadMessage {}

    /// The last sample has come.
    ///
    /// @param found the places of those counters that were found
    record Seen(List<Counter> counters, List<Integer> found) implements LoadMessage {}

    /// Each held connection has had its first answer, or has failed.
    record Settled() implements LoadMessage {}

    /// A doubt about what this agent measured.
    record Doubted(Caveat caveat) implements LoadMessage {}

    /// What was counted until now: of requests once a second, and of any load at the end.
    ///
    /// @param last whether the load has ended
    /// @param beganNanos when it began by the agent's [System#nanoTime]
    /// @param counted the fields of [Outcomes]
    record Part(boolean last, long beganNanos, Counted counted) implements LoadMessage {}

    /// The answers to requests sent one at a time.
    record AnsweredAlone(Probe probe) implements LoadMessage {}

    /// An outcome. Only who knows the arrival that was asked for can read its message.
    sealed interface Counted {}

    record Outcome(LoadOutcome.Requests requests) implements Counted {}

    record HeldOutcome(LoadOutcome.Held held) implements Counted {}

    record Fields(JsonNode tree) implements Counted {
        /// @throws IOException if a figure is missing or impossible
        LoadOutcome.Driven outcome(Arrival arrival) throws IOException {
            try {
                return HeldOutcomes.isHeld(tree)
                        ? HeldOutcomes.read(tree, arrival)
                        : Outcomes.read(tree, arrival);
            } catch (JacksonException | IllegalArgumentException e) {
                throw new IOException("counts that cannot be read: " + e.getMessage(), e);
            }
        }
    }

    default void fill(Map<String, @Nullable Object> tree) {
        tree.put("is", getClass().getSimpleName());
        switch (this) {
            case Plan plan -> Plans.fill(plan, tree);
            case Hold hold -> HoldPlans.fill(hold, tree);
            case Begin begin -> tree.put("nanos", begin.nanos());
            case Finish finish -> tree.put("drainNanos", finish.drainNanos());
            case Alone(Plan plan, long longest) -> {
                Plans.fill(plan, tree);
                tree.put("longestNanos", longest);
            }
            case Ready ready -> {
                tree.put("host", ready.host());
                tree.put("bootId", ready.bootId());
                tree.put("network", ready.network());
                tree.put("cpus", ready.cpus());
                tree.put("tooMany", ready.tooMany());
                tree.put("epoll", ready.epoll());
            }
            case Seeing seeing -> {
                tree.put("counters", Message.counters(seeing.counters()));
                tree.put("startNanos", seeing.startNanos());
            }
            case Seen seen -> {
                tree.put("counters", Message.counters(seen.counters()));
                tree.put("found", seen.found());
            }
            case Settled _ -> {}
            case Doubted(Caveat caveat) -> {
                tree.put("id", caveat.id());
                tree.put("advice", caveat.advice());
            }
            case Part part -> {
                tree.put("last", part.last());
                tree.put("beganNanos", part.beganNanos());
                tree.put(
                        "counted",
                        switch (part.counted()) {
                            case Outcome(LoadOutcome.Requests requests) -> Outcomes.tree(requests);
                            case HeldOutcome(LoadOutcome.Held held) -> HeldOutcomes.tree(held);
                            case Fields(JsonNode fields) -> fields;
                        });
            }
            case AnsweredAlone(Probe probe) -> tree.put("probe", Outcomes.tree(probe));
        }
    }

    /// @throws IllegalArgumentException if there is no such message, or a value is impossible
    static LoadMessage of(String is, JsonNode tree) {
        return switch (is) {
            case "Plan" -> Plans.read(tree);
            case "Hold" -> HoldPlans.read(tree);
            case "Begin" -> new Begin(tree.required("nanos").asLong());
            case "Finish" ->
                    new Finish(Outcomes.count(tree.required("drainNanos"), DRAIN_NANOS_MAX));
            case "Alone" ->
                    new Alone(
                            Plans.read(tree),
                            Outcomes.count(tree.required("longestNanos"), ALONE_NANOS_MAX));
            case "Ready" -> ready(tree);
            case "Seeing" ->
                    new Seeing(
                            Message.counters(tree, End.CLIENT),
                            tree.required("startNanos").asLong());
            case "Seen" -> new Seen(Message.counters(tree, End.CLIENT), Message.found(tree));
            case "Settled" -> new Settled();
            case "Doubted" ->
                    new Doubted(
                            Caveat.read(
                                    tree.required("id").asString(),
                                    tree.required("advice").asString()));
            case "Part" ->
                    new Part(
                            tree.required("last").asBoolean(),
                            tree.required("beganNanos").asLong(),
                            new Fields(tree.required("counted")));
            case "AnsweredAlone" -> new AnsweredAlone(Outcomes.readProbe(tree.required("probe")));
            default -> throw new IllegalArgumentException("there is no message \"" + is + "\"");
        };
    }

    private static Ready ready(JsonNode tree) {
        List<Integer> cpus = new ArrayList<>();
        tree.required("cpus").forEach(cpu -> cpus.add(cpu.asInt()));
        JsonNode tooMany = tree.required("tooMany");
        JsonNode epoll = tree.required("epoll");
        return new Ready(
                tree.required("host").asString(),
                tree.required("bootId").asString(),
                tree.required("network").asString(),
                List.copyOf(cpus),
                tooMany.isNull() ? null : tooMany.asString(),
                epoll.isNull() ? null : epoll.asString());
    }
}

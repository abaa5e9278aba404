package wallfinder.lab.agent;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import wallfinder.lab.peer.WatchSubject;
import wallfinder.lab.peer.WatchedLoad;
import wallfinder.lab.trial.Inspection;
import wallfinder.lab.trial.Life;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Key;
import wallfinder.observation.Peer;
import wallfinder.observation.Timeline;
import wallfinder.record.PeerJson;
import wallfinder.remote.Frames;
import wallfinder.sampling.JvmCensus;

/// What the two processes say to each other. The one that drives the load asks, the agent answers.
sealed interface Message {
    /// Increases when an older program would misread a message.
    int PROTOCOL = 1;

    /// The first message of each side.
    ///
    /// @param version that of the program
    record Hello(int protocol, String version) implements Message {}

    // ---- to the agent

    /// Watches a service.
    record Watch(WatchSubject subject, WatchedLoad load) implements Message {}

    /// Watches the services that [Serve] started.
    record WatchServices(WatchedLoad load) implements Message {}

    /// Starts services.
    ///
    /// @param experiment as [ServicesText] writes it
    /// @param home the value of `{home}`; empty for the folder of the agent's program
    /// @param files the contents of files, by their paths as the services' environments have them
    /// @param inspection how closely to watch the services
    /// @param server the address of the agent's host
    /// @param client the address of the load's host
    record Serve(
            String experiment,
            String home,
            Map<String, String> files,
            Inspection inspection,
            String server,
            String client)
            implements Message {}

    /// Ends the watch of the service that [Serve] names as the inspection's life.
    record EndLife() implements Message {}

    /// Stops the services.
    record Close() implements Message {}

    record Ping(int number) implements Message {}

    /// Ends the watch.
    record Stop() implements Message {}

    // ---- from the agent

    /// The watch has begun.
    ///
    /// @param peer without samples
    /// @param described the service, for the user
    /// @param startNanos the zero of all samples by the agent's [System#nanoTime]
    record Watching(Peer peer, String described, List<Counter> counters, long startNanos)
            implements Message {}

    /// One sample: only the values that differ from the sample before.
    ///
    /// @param last whether it is the last one
    @SuppressWarnings("ArrayRecordComponent") // read-only by convention, to avoid copies
    record Sample(long nanos, boolean last, int[] columns, double[] values) implements Message {}

    /// From now on half as many samples come.
    record Halved() implements Message {}

    /// @param receivedNanos when the ping arrived, by the agent's [System#nanoTime]
    /// @param sentNanos when this answer went
    record Pong(int number, long receivedNanos, long sentNanos) implements Message {}

    /// The watch has ended.
    ///
    /// @param peer without samples
    /// @param found the places of those counters that were found
    record Watched(Peer peer, List<Counter> counters, List<Integer> found) implements Message {}

    /// The services are ready, or they are not and never will be.
    ///
    /// @param nanos how long their start took
    /// @param failed why they are not ready, or null
    /// @param lives whether the service that is not ready is the one whose life is watched
    /// @param folder where their logs are
    record Served(long nanos, @Nullable Failed failed, boolean lives, String folder)
            implements Message {}

    /// What was seen of a service from its start on.
    record Lived(Life.Lived seen) implements Message {}

    /// The services have ended.
    ///
    /// @param failed what is left of them, or null
    /// @param logs the end of each log, by the name of its service
    record Closed(@Nullable Failed failed, Map<String, String> logs) implements Message {}

    /// An error in three parts.
    ///
    /// @param usage whether it is one of the command line
    record Failed(boolean usage, String what, String why, String todo) implements Message {
        /// The same with another folder in what to do.
        Failed with(String folder, String other) {
            return folder.isEmpty()
                    ? this
                    : new Failed(usage, what, why, todo.replace(folder, other));
        }
    }

    // ---- in both directions

    /// One about a load that the agent generates.
    record OfLoad(LoadMessage content) implements Message {}

    /// One about a profile that the agent makes.
    record OfProfile(ProfileMessage content) implements Message {}

    /// Sends a message in one frame.
    default void send(OutputStream out) throws IOException {
        Frames.write(out, tree());
    }

    /// @throws IOException if the frame has something else
    static Message read(byte[] frame) throws IOException {
        JsonNode tree = Frames.tree(frame);
        try {
            return of(tree);
        } catch (JacksonException | IllegalArgumentException e) {
            throw new IOException("a message that cannot be read: " + e.getMessage(), e);
        }
    }

    private Map<String, @Nullable Object> tree() {
        Map<String, @Nullable Object> tree = new LinkedHashMap<>();
        tree.put("is", getClass().getSimpleName());
        switch (this) {
            case Hello hello -> {
                tree.put("protocol", hello.protocol());
                tree.put("version", hello.version());
            }
            case Watch watch -> {
                subject(watch.subject(), tree);
                tree.put("load", watch.load().name());
            }
            case WatchServices(WatchedLoad load) -> tree.put("load", load.name());
            case Ping ping -> tree.put("number", ping.number());
            case Stop _, Halved _, Close _, EndLife _ -> {}
            case Serve serve -> fill(serve, tree);
            case Served(long nanos, Failed failed, boolean lives, String folder) -> {
                tree.put("nanos", nanos);
                tree.put("failed", failed == null ? null : parts(failed));
                tree.put("lives", lives);
                tree.put("folder", folder);
            }
            case Lived(Life.Lived(Timeline timeline, JvmCensus census)) -> {
                PeerJson.putTimeline(timeline, tree);
                tree.put("census", census == null ? null : figures(census));
            }
            case Closed closed -> {
                Failed failed = closed.failed();
                tree.put("failed", failed == null ? null : parts(failed));
                tree.put("logs", closed.logs());
            }
            case Watching watching -> {
                tree.put("peer", PeerJson.tree(watching.peer()));
                tree.put("described", watching.described());
                tree.put("counters", counters(watching.counters()));
                tree.put("startNanos", watching.startNanos());
            }
            case Sample sample -> {
                tree.put("nanos", sample.nanos());
                tree.put("last", sample.last());
                tree.put("columns", sample.columns());
                tree.put("values", sample.values());
            }
            case Pong pong -> {
                tree.put("number", pong.number());
                tree.put("receivedNanos", pong.receivedNanos());
                tree.put("sentNanos", pong.sentNanos());
            }
            case Watched watched -> {
                tree.put("peer", PeerJson.tree(watched.peer()));
                tree.put("counters", counters(watched.counters()));
                tree.put("found", watched.found());
            }
            case OfLoad(LoadMessage content) -> content.fill(tree);
            case OfProfile(ProfileMessage content) -> content.fill(tree);
            case Failed failed -> tree.putAll(parts(failed));
        }
        return tree;
    }

    private static Map<String, Object> parts(Failed failed) {
        return Map.of(
                "usage", failed.usage(),
                "what", failed.what(),
                "why", failed.why(),
                "todo", failed.todo());
    }

    private static void subject(WatchSubject subject, Map<String, @Nullable Object> tree) {
        switch (subject) {
            case WatchSubject.OfPid(long pid) -> tree.put("pid", pid);
            case WatchSubject.OfPort(int port) -> tree.put("port", port);
            case WatchSubject.OfCgroup(String path) -> tree.put("cgroup", path);
            case WatchSubject.OfPod(String name, String uid) -> {
                tree.put("pod", name);
                tree.put("uid", uid);
            }
        }
    }

    /// Each counter is two texts.
    static List<String> counters(List<Counter> counters) {
        List<String> texts = new ArrayList<>();
        for (Counter counter : counters) {
            texts.add(counter.name());
            texts.add(counter.source());
        }
        return texts;
    }

    private static Message of(JsonNode tree) {
        String is = tree.required("is").asString();
        return switch (is) {
            case "Hello" ->
                    new Hello(
                            tree.required("protocol").asInt(), tree.required("version").asString());
            case "Watch" -> new Watch(subject(tree), load(tree));
            case "Ping" -> new Ping(tree.required("number").asInt());
            case "Stop" -> new Stop();
            case "WatchServices" -> new WatchServices(load(tree));
            case "Close" -> new Close();
            case "EndLife" -> new EndLife();
            case "Serve" -> serve(tree);
            case "Served" ->
                    new Served(
                            tree.required("nanos").asLong(),
                            failedOrNull(tree.required("failed")),
                            tree.required("lives").asBoolean(),
                            tree.required("folder").asString());
            case "Lived" ->
                    new Lived(
                            new Life.Lived(
                                    PeerJson.timeline(tree), census(tree.required("census"))));
            case "Closed" -> closed(tree);
            case "Watching" ->
                    new Watching(
                            PeerJson.peer(tree.required("peer")),
                            tree.required("described").asString(),
                            counters(tree, End.SERVER),
                            tree.required("startNanos").asLong());
            case "Sample" -> sample(tree);
            case "Halved" -> new Halved();
            case "Pong" ->
                    new Pong(
                            tree.required("number").asInt(),
                            tree.required("receivedNanos").asLong(),
                            tree.required("sentNanos").asLong());
            case "Watched" ->
                    new Watched(
                            PeerJson.peer(tree.required("peer")),
                            counters(tree, End.SERVER),
                            found(tree));
            case "Failed" -> failed(tree);
            default ->
                    ProfileMessage.is(is)
                            ? new OfProfile(ProfileMessage.of(is, tree))
                            : new OfLoad(LoadMessage.of(is, tree));
        };
    }

    private static WatchedLoad load(JsonNode tree) {
        return WatchedLoad.valueOf(tree.required("load").asString());
    }

    private static void fill(Serve serve, Map<String, @Nullable Object> tree) {
        tree.put("experiment", serve.experiment());
        tree.put("home", serve.home());
        tree.put("files", serve.files());
        tree.put("asksJvms", serve.inspection().asksJvms());
        tree.put("life", serve.inspection().life());
        tree.put("census", serve.inspection().census());
        tree.put("server", serve.server());
        tree.put("client", serve.client());
    }

    private static Serve serve(JsonNode tree) {
        return new Serve(
                tree.required("experiment").asString(),
                tree.required("home").asString(),
                texts(tree.required("files")),
                new Inspection(
                        tree.required("asksJvms").asBoolean(),
                        tree.required("life").asString(),
                        tree.required("census").asBoolean()),
                tree.required("server").asString(),
                tree.required("client").asString());
    }

    private static double[] figures(JvmCensus census) {
        return new double[] {
            census.classes(),
            census.liveBytes(),
            census.loadedBytes(),
            census.codeBytes(),
            census.directBytes(),
            census.heapMaxBytes()
        };
    }

    private static @Nullable JvmCensus census(JsonNode tree) {
        return tree.isNull()
                ? null
                : new JvmCensus(
                        tree.required(0).asDouble(),
                        tree.required(1).asDouble(),
                        tree.required(2).asDouble(),
                        tree.required(3).asDouble(),
                        tree.required(4).asDouble(),
                        tree.required(5).asDouble());
    }

    private static Map<String, String> texts(JsonNode tree) {
        Map<String, String> texts = new LinkedHashMap<>();
        tree.forEachEntry((name, text) -> texts.put(name, text.asString()));
        return texts;
    }

    private static @Nullable Failed failedOrNull(JsonNode tree) {
        return tree.isNull() ? null : failed(tree);
    }

    private static Closed closed(JsonNode tree) {
        return new Closed(failedOrNull(tree.required("failed")), texts(tree.required("logs")));
    }

    private static Failed failed(JsonNode tree) {
        return new Failed(
                tree.required("usage").asBoolean(),
                tree.required("what").asString(),
                tree.required("why").asString(),
                tree.required("todo").asString());
    }

    private static WatchSubject subject(JsonNode tree) {
        if (tree.has("pid")) {
            return new WatchSubject.OfPid(tree.required("pid").asLong());
        }
        if (tree.has("pod")) {
            return new WatchSubject.OfPod(
                    tree.required("pod").asString(), tree.required("uid").asString());
        }
        return tree.has("port")
                ? new WatchSubject.OfPort(tree.required("port").asInt())
                : new WatchSubject.OfCgroup(tree.required("cgroup").asString());
    }

    private static Sample sample(JsonNode tree) {
        JsonNode columns = tree.required("columns");
        JsonNode values = tree.required("values");
        if (columns.size() != values.size()) {
            throw new IllegalArgumentException("values that do not match their columns");
        }
        int[] places = new int[columns.size()];
        double[] numbers = new double[places.length];
        for (int i = 0; i < places.length; i++) {
            places[i] = columns.required(i).asInt();
            numbers[i] = values.required(i).asDouble();
        }
        return new Sample(
                tree.required("nanos").asLong(),
                tree.required("last").asBoolean(),
                places,
                numbers);
    }

    static List<Counter> counters(JsonNode tree, End end) {
        JsonNode texts = tree.required("counters");
        List<Counter> counters = new ArrayList<>();
        for (int i = 0; i + 1 < texts.size(); i += 2) {
            counters.add(
                    new Counter(
                            Key.parse(texts.required(i).asString()),
                            end,
                            texts.required(i + 1).asString()));
        }
        return List.copyOf(counters);
    }

    static List<Integer> found(JsonNode tree) {
        List<Integer> found = new ArrayList<>();
        tree.required("found").forEach(place -> found.add(place.asInt()));
        return List.copyOf(found);
    }
}

package wallfinder.lab.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import wallfinder.observation.Caveat;
import wallfinder.observation.CpuWindow;
import wallfinder.observation.CpuWindow.SampledAllocation;
import wallfinder.observation.CpuWindow.SampledStack;
import wallfinder.observation.CpuWindow.ThreadCpu;
import wallfinder.profiling.CpuProfiling.Samples;

/// What both sides say about a profile that an agent makes of the services it watches. The agent
/// ends a window when it is asked to, so the time that the message takes belongs to the window.
sealed interface ProfileMessage {
    // ---- to the agent

    /// Begin to sample. The agent answers [ProfileBegun].
    record BeginProfile(Samples samples) implements ProfileMessage {}

    record BeginWindow() implements ProfileMessage {}

    record EndWindow(double answered) implements ProfileMessage {}

    /// End the samples. The agent sends a [Window] for each, and at last [ProfileEnded].
    record EndProfile() implements ProfileMessage {}

    // ---- from the agent

    /// @param doubts what it cannot see
    record ProfileBegun(boolean anyJvm, List<Caveat> doubts) implements ProfileMessage {}

    /// One window, without stacks and allocations.
    record Window(CpuWindow window) implements ProfileMessage {}

    /// Some stacks of the latest window.
    ///
    /// @param ofJvm whether a JVM sampled itself
    record Stacks(int pid, boolean ofJvm, List<SampledStack> stacks) implements ProfileMessage {}

    /// Some allocations of the latest window.
    record Allocations(List<SampledAllocation> allocations) implements ProfileMessage {}

    /// All windows have come.
    ///
    /// @param lost why they are not complete, or null
    record ProfileEnded(@Nullable String lost) implements ProfileMessage {}

    /// Whether a message is one of these.
    static boolean is(String name) {
        return Arrays.stream(ProfileMessage.class.getPermittedSubclasses())
                .anyMatch(type -> type.getSimpleName().equals(name));
    }

    default void fill(Map<String, @Nullable Object> tree) {
        tree.put("is", getClass().getSimpleName());
        switch (this) {
            case BeginProfile(Samples samples) -> tree.put("samples", samples.name());
            case BeginWindow _, EndProfile _ -> {}
            case EndWindow(double answered) -> tree.put("answered", answered);
            case ProfileBegun begun -> {
                tree.put("anyJvm", begun.anyJvm());
                tree.put("doubts", begun.doubts().stream().map(ProfileMessage::fields).toList());
            }
            case Window(CpuWindow window) -> fill(window, tree);
            case Stacks(int pid, boolean ofJvm, List<SampledStack> stacks) -> {
                tree.put("pid", pid);
                tree.put("ofJvm", ofJvm);
                tree.put("counts", stacks.stream().map(SampledStack::count).toList());
                StackTable.fill(stacks.stream().map(SampledStack::frames).toList(), tree);
            }
            case Allocations(List<SampledAllocation> allocations) -> {
                tree.put("types", allocations.stream().map(SampledAllocation::type).toList());
                tree.put("bytes", allocations.stream().map(SampledAllocation::bytes).toList());
                StackTable.fill(allocations.stream().map(SampledAllocation::frames).toList(), tree);
            }
            case ProfileEnded(String lost) -> tree.put("lost", lost);
        }
    }

    private static void fill(CpuWindow window, Map<String, @Nullable Object> tree) {
        tree.put("seconds", window.seconds());
        tree.put("answers", window.answers());
        tree.put("threads", window.threads().stream().map(ProfileMessage::fields).toList());
        tree.put("kernel", window.kernelSamples());
        tree.put("lost", window.lost());
    }

    private static Map<String, Object> fields(Caveat doubt) {
        return Map.of("id", doubt.id(), "advice", doubt.advice());
    }

    private static Map<String, Object> fields(ThreadCpu thread) {
        return Map.of(
                "pid", thread.pid(),
                "process", thread.process(),
                "name", thread.name(),
                "job", thread.job().name(),
                "seconds", thread.seconds(),
                "kernelSeconds", thread.kernelSeconds());
    }

    /// @throws IllegalArgumentException if a value is impossible
    static ProfileMessage of(String is, JsonNode tree) {
        return switch (is) {
            case "BeginProfile" ->
                    new BeginProfile(Samples.valueOf(tree.required("samples").asString()));
            case "BeginWindow" -> new BeginWindow();
            case "EndWindow" -> new EndWindow(tree.required("answered").asDouble());
            case "EndProfile" -> new EndProfile();
            case "ProfileBegun" ->
                    new ProfileBegun(
                            tree.required("anyJvm").asBoolean(), doubts(tree.required("doubts")));
            case "Window" -> new Window(window(tree));
            case "Stacks" -> stacks(tree);
            case "Allocations" -> allocations(tree);
            case "ProfileEnded" -> {
                JsonNode lost = tree.required("lost");
                yield new ProfileEnded(lost.isNull() ? null : lost.asString());
            }
            default -> throw new IllegalArgumentException("there is no message \"" + is + "\"");
        };
    }

    private static List<Caveat> doubts(JsonNode tree) {
        List<Caveat> doubts = new ArrayList<>();
        for (JsonNode doubt : tree) {
            doubts.add(
                    Caveat.read(
                            doubt.required("id").asString(), doubt.required("advice").asString()));
        }
        return List.copyOf(doubts);
    }

    private static CpuWindow window(JsonNode tree) {
        List<ThreadCpu> threads = new ArrayList<>();
        tree.required("threads").forEach(thread -> threads.add(thread(thread)));
        Map<String, Long> kernel = new LinkedHashMap<>();
        tree.required("kernel").forEachEntry((name, count) -> kernel.put(name, count.asLong()));
        return new CpuWindow(
                tree.required("seconds").asDouble(),
                tree.required("answers").asDouble(),
                threads,
                Map.of(),
                Map.of(),
                kernel,
                List.of(),
                tree.required("lost").asLong());
    }

    private static ThreadCpu thread(JsonNode tree) {
        return new ThreadCpu(
                tree.required("pid").asInt(),
                tree.required("process").asString(),
                tree.required("name").asString(),
                CpuWindow.Job.valueOf(tree.required("job").asString()),
                tree.required("seconds").asDouble(),
                tree.required("kernelSeconds").asDouble());
    }

    private static Stacks stacks(JsonNode tree) {
        StackTable table = StackTable.read(tree);
        JsonNode counts = tree.required("counts");
        table.check(counts.size());
        List<SampledStack> stacks = new ArrayList<>();
        for (int i = 0; i < counts.size(); i++) {
            stacks.add(new SampledStack(table.frames(i), counts.required(i).asLong()));
        }
        return new Stacks(
                tree.required("pid").asInt(),
                tree.required("ofJvm").asBoolean(),
                List.copyOf(stacks));
    }

    private static Allocations allocations(JsonNode tree) {
        StackTable table = StackTable.read(tree);
        JsonNode types = tree.required("types");
        JsonNode bytes = tree.required("bytes");
        table.check(types.size());
        table.check(bytes.size());
        List<SampledAllocation> allocations = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            allocations.add(
                    new SampledAllocation(
                            types.required(i).asString(),
                            table.frames(i),
                            bytes.required(i).asLong()));
        }
        return new Allocations(List.copyOf(allocations));
    }
}

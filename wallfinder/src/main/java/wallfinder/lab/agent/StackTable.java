package wallfinder.lab.agent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import wallfinder.observation.CpuWindow.Frame;

/// The stacks of a message. Most of their frames are the same, so each frame is there once, and a
/// stack is a list of places in the table of frames.
final class StackTable {
    /// So many frames fit into a message, even if no two of them are the same.
    private static final int FRAMES_MAX = 10_000;

    private final List<List<Frame>> stacks;

    private StackTable(List<List<Frame>> stacks) {
        this.stacks = stacks;
    }

    /// The length of the first part of a list of stacks that fits into one message: one stack at
    /// least.
    static int fitting(List<List<Frame>> stacks) {
        int frames = 0;
        for (int i = 0; i < stacks.size(); i++) {
            frames += stacks.get(i).size();
            if (frames > FRAMES_MAX && i > 0) {
                return i;
            }
        }
        return stacks.size();
    }

    static void fill(List<List<Frame>> stacks, Map<String, @Nullable Object> tree) {
        Map<Frame, Integer> places = new LinkedHashMap<>();
        List<int[]> rows = new ArrayList<>();
        for (List<Frame> stack : stacks) {
            rows.add(
                    stack.stream()
                            .mapToInt(frame -> places.computeIfAbsent(frame, _ -> places.size()))
                            .toArray());
        }
        tree.put("frames", places.keySet().stream().map(StackTable::fields).toList());
        tree.put("stacks", rows);
    }

    private static List<Object> fields(Frame frame) {
        return List.of(frame.type(), frame.method(), frame.inNative());
    }

    /// @throws IllegalArgumentException if a stack has a frame that is not in the table
    static StackTable read(JsonNode tree) {
        List<Frame> frames = new ArrayList<>();
        tree.required("frames").forEach(frame -> frames.add(frame(frame)));
        List<List<Frame>> stacks = new ArrayList<>();
        for (JsonNode row : tree.required("stacks")) {
            List<Frame> stack = new ArrayList<>();
            for (JsonNode place : row) {
                int at = place.asInt();
                if (at < 0 || at >= frames.size()) {
                    throw new IllegalArgumentException("a stack with an unknown frame");
                }
                stack.add(frames.get(at));
            }
            stacks.add(List.copyOf(stack));
        }
        return new StackTable(List.copyOf(stacks));
    }

    private static Frame frame(JsonNode tree) {
        return new Frame(
                tree.required(0).asString(),
                tree.required(1).asString(),
                tree.required(2).asBoolean());
    }

    /// @throws IllegalArgumentException if there is another number of stacks
    void check(int count) {
        if (stacks.size() != count) {
            throw new IllegalArgumentException("stacks that do not match their values");
        }
    }

    List<Frame> frames(int stack) {
        return stacks.get(stack);
    }
}

package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import wallfinder.observation.CpuWindow;
import wallfinder.observation.CpuWindow.Frame;
import wallfinder.observation.CpuWindow.Job;
import wallfinder.observation.CpuWindow.SampledStack;
import wallfinder.observation.CpuWindow.ThreadCpu;

/// All sampled stacks as one tree: each call with its share of the service's CPU time.
///
/// @param boxes a call before the calls that it makes, and those by size
public record FlameGraph(List<Box> boxes) {
    /// Smaller boxes would not be seen. They also bound the size of the page.
    private static final double SHARE_MIN = 0.001;

    public FlameGraph {
        boxes = List.copyOf(boxes);
    }

    /// @param depth of the outermost call 0
    /// @param share of the service's CPU time, 0 to 1, with everything that it calls
    public record Box(int depth, String name, double share) {}

    static FlameGraph of(List<CpuWindow> windows) {
        double all = windows.stream().mapToDouble(CpuProfile::seconds).sum();
        Node root = new Node();
        for (CpuWindow window : windows) {
            for (ThreadCpu thread : window.threads()) {
                List<SampledStack> stacks =
                        window.nativeStacks().getOrDefault(thread.pid(), List.of());
                if (thread.job() == Job.OTHER && !stacks.isEmpty()) {
                    long count = stacks.stream().mapToLong(SampledStack::count).sum();
                    for (SampledStack stack : stacks) {
                        double share = thread.seconds() / all * stack.count() / count;
                        add(root.child(name(thread)), stack, share);
                    }
                } else if (thread.job() != Job.PROGRAM) {
                    root.child(name(thread)).share += thread.seconds() / all;
                }
            }
            CpuProfile.programs(window)
                    .forEach((jvm, threads) -> {
                        double share = threads.stream().mapToDouble(ThreadCpu::seconds).sum() / all;
                        List<SampledStack> stacks = window.stacks().getOrDefault(jvm, List.of());
                        addProgram(root.child("Java threads"), share, stacks);
                    });
        }
        List<Box> boxes = new ArrayList<>();
        root.children.forEach((name, node) -> node.write(name, 0, boxes));
        return new FlameGraph(boxes);
    }

    private static void addProgram(Node java, double share, List<SampledStack> stacks) {
        long count = stacks.stream().mapToLong(SampledStack::count).sum();
        if (count == 0) {
            java.share += share;
        }
        for (SampledStack stack : stacks) {
            add(java, stack, share * stack.count() / count);
        }
    }

    private static String name(ThreadCpu thread) {
        return switch (thread.job()) {
            case COLLECTOR -> "garbage collection";
            case COMPILER -> "JIT compilers";
            case PROGRAM, OTHER -> thread.process();
        };
    }

    private static void add(Node root, SampledStack stack, double share) {
        root.share += share;
        Node node = root;
        for (Frame frame : stack.frames().reversed()) {
            node = node.child(frame.name());
            node.share += share;
        }
    }

    private static final class Node {
        private final Map<String, Node> children = new LinkedHashMap<>();
        private double share;

        Node child(String name) {
            return children.computeIfAbsent(name, key -> new Node());
        }

        void write(String name, int depth, List<Box> boxes) {
            if (share < SHARE_MIN) {
                return;
            }
            boxes.add(new Box(depth, name, share));
            children.entrySet().stream()
                    .sorted(Comparator.comparingDouble(child -> -child.getValue().share))
                    .forEach(child -> child.getValue().write(child.getKey(), depth + 1, boxes));
        }
    }
}

package wallfinder.lab.agent;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.CpuWindow;
import wallfinder.observation.CpuWindow.SampledAllocation;
import wallfinder.observation.CpuWindow.SampledStack;

/// What an agent has said about its profile so far.
final class HeardProfile {
    private ProfileMessage.@Nullable ProfileBegun begun;
    private ProfileMessage.@Nullable ProfileEnded ended;
    private final List<Part> windows = new ArrayList<>();

    private record Part(
            CpuWindow window,
            Map<Integer, List<SampledStack>> stacks,
            Map<Integer, List<SampledStack>> nativeStacks,
            List<SampledAllocation> allocations) {
        Part(CpuWindow window) {
            this(window, new HashMap<>(), new HashMap<>(), new ArrayList<>());
        }

        CpuWindow whole() {
            return new CpuWindow(
                    window.seconds(),
                    window.answers(),
                    window.threads(),
                    stacks,
                    nativeStacks,
                    window.kernelSamples(),
                    allocations,
                    window.lost());
        }
    }

    void hear(ProfileMessage message) throws IOException {
        switch (message) {
            case ProfileMessage.ProfileBegun start -> begun = start;
            case ProfileMessage.Window(CpuWindow window) -> windows.add(new Part(window));
            case ProfileMessage.Stacks(int pid, boolean ofJvm, List<SampledStack> stacks) ->
                    (ofJvm ? latest().stacks() : latest().nativeStacks())
                            .computeIfAbsent(pid, _ -> new ArrayList<>())
                            .addAll(stacks);
            case ProfileMessage.Allocations(List<SampledAllocation> allocations) ->
                    latest().allocations().addAll(allocations);
            case ProfileMessage.ProfileEnded end -> ended = end;
            default ->
                    throw new IOException("no agent sends a " + message.getClass().getSimpleName());
        }
    }

    private Part latest() throws IOException {
        if (windows.isEmpty()) {
            throw new IOException("stacks of no window");
        }
        return windows.getLast();
    }

    ProfileMessage.@Nullable ProfileBegun begun() {
        return begun;
    }

    ProfileMessage.@Nullable ProfileEnded ended() {
        return ended;
    }

    List<CpuWindow> windows() {
        return windows.stream().map(Part::whole).toList();
    }
}

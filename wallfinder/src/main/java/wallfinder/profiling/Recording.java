package wallfinder.profiling;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;
import wallfinder.observation.CpuWindow.Frame;
import wallfinder.observation.CpuWindow.SampledStack;

/// The samples of a recording, divided into windows of time.
final class Recording {
    /// The types of frames that are Java methods.
    private static final Set<String> JAVA =
            Set.of("Interpreted", "JIT compiled", "C1 compiled", "Inlined");

    private static final String LOST = "jdk.CPUTimeSamplesLost";

    private final NavigableMap<Instant, Map<List<Frame>, Long>> stacksByStart = new TreeMap<>();
    private final NavigableMap<Instant, Long> lostByStart = new TreeMap<>();
    private final List<Instant> starts;

    /// @param starts when each window begins; the last instant is the end of the last window
    private Recording(List<Instant> starts) {
        this.starts = starts;
    }

    static Recording read(Path file, String sample, List<Instant> starts) throws IOException {
        Recording recording = new Recording(starts);
        for (Instant start : starts) {
            recording.stacksByStart.put(start, new HashMap<>());
            recording.lostByStart.put(start, 0L);
        }
        try (RecordingFile events = new RecordingFile(file)) {
            while (events.hasMoreEvents()) {
                RecordedEvent event = events.readEvent();
                String type = event.getEventType().getName();
                if (type.equals(sample)) {
                    recording.add(event);
                } else if (type.equals(LOST)) {
                    recording.addLost(event);
                }
            }
        }
        return recording;
    }

    private void add(RecordedEvent event) {
        Map.Entry<Instant, Map<List<Frame>, Long>> window =
                stacksByStart.floorEntry(event.getStartTime());
        RecordedStackTrace stack = event.getStackTrace();
        if (window == null || stack == null) {
            return;
        }
        List<Frame> frames = frames(stack.getFrames());
        if (!frames.isEmpty()) {
            window.getValue().merge(frames, 1L, Long::sum);
        }
    }

    private void addLost(RecordedEvent event) {
        Instant window = lostByStart.floorKey(event.getStartTime());
        if (window != null) {
            lostByStart.merge(window, event.getLong("lostSamples"), Long::sum);
        }
    }

    /// Only Java methods. A function of a library that they call counts as its native method.
    private static List<Frame> frames(List<RecordedFrame> recorded) {
        List<Frame> frames = new ArrayList<>();
        boolean inNative = false;
        for (RecordedFrame frame : recorded) {
            RecordedMethod method = frame.getMethod();
            if (method == null || !JAVA.contains(frame.getType())) {
                inNative = true;
                continue;
            }
            boolean nativeMethod = Modifier.isNative(method.getModifiers());
            frames.add(
                    new Frame(
                            plain(method.getType().getName()),
                            method.getName(),
                            frames.isEmpty() && (inNative || nativeMethod)));
        }
        return frames;
    }

    /// Classes that a JVM makes at run time have a number in their name, which differs each time.
    private static String plain(String type) {
        int made = type.indexOf("$$Lambda");
        if (made >= 0) {
            return type.substring(0, made) + "$$Lambda";
        }
        int hidden = type.indexOf("/0x");
        return hidden >= 0 ? type.substring(0, hidden) : type;
    }

    List<SampledStack> stacks(int window) {
        Map<List<Frame>, Long> counts = stacksByStart.get(starts.get(window));
        return counts == null
                ? List.of()
                : counts.entrySet().stream()
                        .map(e -> new SampledStack(e.getKey(), e.getValue()))
                        .toList();
    }

    long lost(int window) {
        return lostByStart.getOrDefault(starts.get(window), 0L);
    }
}

package wallfinder.profiling;

import java.io.IOException;
import java.lang.constant.ClassDesc;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.CpuWindow.Frame;
import wallfinder.observation.CpuWindow.SampledAllocation;
import wallfinder.observation.CpuWindow.SampledStack;

/// The samples of a recording, divided into windows of time.
final class Recording {
    /// The types of frames that are Java methods.
    private static final Set<String> JAVA =
            Set.of("Interpreted", "JIT compiled", "C1 compiled", "Inlined");

    /// A package that does not exist.
    private static final String INTRINSICS = "jdk.intrinsics.Stub";

    private static final String LOST = "jdk.CPUTimeSamplesLost";

    /// The events that are a sample of the allocations, and the field with the bytes for which it
    /// stands: those of Flight Recorder, and of async-profiler.
    private static final Map<String, String> ALLOCATED =
            Map.of(
                    "jdk.ObjectAllocationSample", "weight",
                    "jdk.ObjectAllocationInNewTLAB", "tlabSize",
                    "jdk.ObjectAllocationOutsideTLAB", "allocationSize");

    private final NavigableMap<Instant, Seen> seenByStart = new TreeMap<>();

    /// A window of time.
    record Span(Instant start, Instant end) {
        double seconds() {
            return Duration.between(start, end).toNanos() / 1e9;
        }
    }

    private static final class Seen {
        private final Instant end;
        private final Map<List<Frame>, Long> stacks = new HashMap<>();
        private final List<SampledAllocation> allocations = new ArrayList<>();
        private long lost;

        Seen(Instant end) {
            this.end = end;
        }
    }

    private Recording(List<Span> windows) {
        windows.forEach(window -> seenByStart.put(window.start(), new Seen(window.end())));
    }

    static Recording read(Path file, String sample, List<Span> windows) throws IOException {
        Recording recording = new Recording(windows);
        try (RecordingFile events = new RecordingFile(file)) {
            while (events.hasMoreEvents()) {
                RecordedEvent event = events.readEvent();
                Seen seen = recording.at(event.getStartTime());
                String type = event.getEventType().getName();
                if (seen != null && type.equals(sample)) {
                    add(event, seen);
                } else if (seen != null && type.equals(LOST)) {
                    seen.lost += event.getLong("lostSamples");
                } else if (seen != null && ALLOCATED.containsKey(type)) {
                    seen.allocations.add(allocation(event, ALLOCATED.get(type)));
                }
            }
        }
        return recording;
    }

    /// @return null outside of all windows
    private @Nullable Seen at(Instant instant) {
        Map.Entry<Instant, Seen> window = seenByStart.floorEntry(instant);
        return window == null || instant.isAfter(window.getValue().end) ? null : window.getValue();
    }

    private static void add(RecordedEvent event, Seen seen) {
        List<Frame> frames = frames(event);
        if (!frames.isEmpty()) {
            seen.stacks.merge(frames, 1L, Long::sum);
        }
    }

    private static SampledAllocation allocation(RecordedEvent event, String bytes) {
        return new SampledAllocation(
                plain(readable(event.getClass("objectClass").getName())),
                frames(event),
                event.getLong(bytes));
    }

    /// `[B` is `byte[]`, and `[Ljava.lang.String;` is `java.lang.String[]`.
    private static String readable(String type) {
        int dimensions = type.lastIndexOf('[') + 1;
        if (dimensions == 0) {
            return type;
        }
        ClassDesc element = ClassDesc.ofDescriptor(type.substring(dimensions).replace('.', '/'));
        String folder = element.packageName().isEmpty() ? "" : element.packageName() + ".";
        return folder + element.displayName() + "[]".repeat(dimensions);
    }

    private static List<Frame> frames(RecordedEvent event) {
        RecordedStackTrace stack = event.getStackTrace();
        return stack == null ? List.of() : frames(stack.getFrames());
    }

    /// Only Java methods. A function of a library that they call counts as its native method. Of
    /// machine code that the JVM has for a method of the JDK, such as SHA-256 on some processors,
    /// the callers may be unknown.
    private static List<Frame> frames(List<RecordedFrame> recorded) {
        List<Frame> frames = new ArrayList<>();
        if (recorded.size() == 1 && isIntrinsic(recorded.getFirst().getMethod())) {
            return List.of(new Frame(INTRINSICS, recorded.getFirst().getMethod().getName(), false));
        }
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

    /// A function of a library has the library as its type.
    private static boolean isIntrinsic(@Nullable RecordedMethod method) {
        return method != null && method.getType().getName().isEmpty();
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

    List<SampledStack> stacks(Span window) {
        return in(window).stacks.entrySet().stream()
                .map(stack -> new SampledStack(stack.getKey(), stack.getValue()))
                .toList();
    }

    List<SampledAllocation> allocations(Span window) {
        return in(window).allocations;
    }

    long lost(Span window) {
        return in(window).lost;
    }

    private Seen in(Span window) {
        return Objects.requireNonNull(seenByStart.get(window.start()));
    }
}

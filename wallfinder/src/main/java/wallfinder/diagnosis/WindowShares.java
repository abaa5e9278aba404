package wallfinder.diagnosis;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import wallfinder.diagnosis.CpuProfile.Kind;
import wallfinder.observation.CpuWindow;
import wallfinder.observation.CpuWindow.Frame;
import wallfinder.observation.CpuWindow.Job;
import wallfinder.observation.CpuWindow.SampledStack;
import wallfinder.observation.CpuWindow.ThreadCpu;

/// The shares of a service's CPU time in one window.
///
/// The kernel counts what each thread did in the kernel, but stacks show only the Java method that
/// called it. So the time in the kernel is taken off the stacks whose innermost method is native:
/// first off those of the JDK's input and output, then off the others, then off all stacks.
///
/// @param self by the name of the method
/// @param total the same with everything that the method calls
record WindowShares(Map<Key, Double> parts, Map<String, Double> self, Map<String, Double> total) {
    /// A part of the profile.
    record Key(String name, Kind kind) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            return Comparator.comparing(Key::name).thenComparing(Key::kind).compare(this, other);
        }
    }

    /// Fewer do not show what the kernel's time was for.
    private static final int KERNEL_SAMPLES_MIN = 10;

    private static final List<String> INPUT_OUTPUT = List.of("java.io.", "java.net.", "sun.nio.");

    /// @param kernel the samples of the kernel in all windows, for a window with few of its own
    static WindowShares of(
            CpuWindow window, Function<String, String> groups, Map<String, Long> kernel) {
        return new Computation(
                        window,
                        groups,
                        total(window.kernelSamples()) >= KERNEL_SAMPLES_MIN
                                ? window.kernelSamples()
                                : kernel)
                .shares();
    }

    private static long total(Map<String, Long> samples) {
        return samples.values().stream().mapToLong(Long::longValue).sum();
    }

    private static final class Computation {
        private final CpuWindow window;
        private final Function<String, String> groups;
        private final Map<String, Long> kernelSamples;
        private final double all;
        private final Map<Key, Double> parts = new LinkedHashMap<>();
        private final Map<String, Double> self = new HashMap<>();
        private final Map<String, Double> total = new HashMap<>();

        Computation(
                CpuWindow window,
                Function<String, String> groups,
                Map<String, Long> kernelSamples) {
            this.window = window;
            this.groups = groups;
            this.kernelSamples = kernelSamples;
            all = CpuProfile.seconds(window);
        }

        WindowShares shares() {
            add("garbage collection", Kind.COLLECTOR, CpuProfile.seconds(window, Job.COLLECTOR));
            add("JIT compilers", Kind.COMPILER, CpuProfile.seconds(window, Job.COMPILER));
            for (ThreadCpu thread : window.threads()) {
                if (thread.job() == Job.OTHER) {
                    addNative(
                            thread.process(),
                            thread.seconds(),
                            thread.kernelSeconds(),
                            window.nativeStacks().getOrDefault(thread.pid(), List.of()));
                }
            }
            addKernel();
            CpuProfile.programs(window)
                    .forEach((jvm, threads) ->
                            addProgram(threads, window.stacks().getOrDefault(jvm, List.of())));
            return new WindowShares(parts, self, total);
        }

        /// The kernel counts the time, and its samples divide it.
        private void addKernel() {
            double seconds =
                    window.threads().stream()
                            .filter(thread ->
                                    thread.job() == Job.PROGRAM || thread.job() == Job.OTHER)
                            .mapToDouble(ThreadCpu::kernelSeconds)
                            .sum();
            long samples = total(kernelSamples);
            if (samples < KERNEL_SAMPLES_MIN) {
                add("kernel", Kind.KERNEL, seconds);
                return;
            }
            kernelSamples.forEach((purpose, count) ->
                    add("kernel: " + purpose, Kind.KERNEL, seconds * count / samples));
        }

        private void add(String name, Kind kind, double seconds) {
            if (seconds > 0) {
                parts.merge(new Key(name, kind), seconds / all, Double::sum);
            }
        }

        /// A thread of a process that is no JVM. The kernel counts the time, and the samples of the
        /// whole process divide it.
        private void addNative(
                String process, double seconds, double kernel, List<SampledStack> stacks) {
            double samples = count(stacks, _ -> true);
            double outside = count(stacks, stack -> !isNative(stack));
            if (outside == 0) {
                add(process, Kind.PROCESS, seconds - kernel);
            }
            for (SampledStack stack : stacks) {
                methods(stack, seconds / all * stack.count() / samples);
                if (!isNative(stack)) {
                    String type = stack.frames().getFirst().type();
                    String part = process + ": " + (type.isEmpty() ? "other" : type);
                    add(part, Kind.PROCESS, (seconds - kernel) * stack.count() / outside);
                }
            }
        }

        /// The program's threads of one JVM.
        private void addProgram(List<ThreadCpu> threads, List<SampledStack> stacks) {
            double program = threads.stream().mapToDouble(ThreadCpu::seconds).sum();
            double kernel = threads.stream().mapToDouble(ThreadCpu::kernelSeconds).sum();
            if (stacks.isEmpty()) {
                add("Java threads", Kind.UNSEEN, program - kernel);
            } else {
                divide(program, kernel, stacks);
            }
        }

        /// Divides the time of the program's threads by their stacks.
        private void divide(double program, double kernel, List<SampledStack> stacks) {
            double secondsEach = program / count(stacks, _ -> true);
            double inOutput =
                    secondsEach * count(stacks, stack -> isNative(stack) && isInputOutput(stack));
            double inOthers =
                    secondsEach * count(stacks, stack -> isNative(stack) && !isInputOutput(stack));
            double fromOutput = Math.min(kernel, inOutput);
            double fromOthers = Math.min(kernel - fromOutput, inOthers);
            double rest = program - fromOutput - fromOthers;
            double left = rest > 0 ? (program - kernel) / rest : 0;
            for (SampledStack stack : stacks) {
                double seconds = secondsEach * stack.count();
                methods(stack, seconds / all);
                if (isNative(stack)) {
                    seconds *=
                            isInputOutput(stack)
                                    ? 1 - fromOutput / inOutput
                                    : 1 - fromOthers / inOthers;
                }
                Frame owner = owner(stack.frames());
                Kind kind = isJdk(owner.type()) ? Kind.JDK : Kind.APPLICATION;
                add(groups.apply(owner.type()), kind, left * seconds);
            }
        }

        private static double count(List<SampledStack> stacks, Predicate<SampledStack> which) {
            return stacks.stream().filter(which).mapToLong(SampledStack::count).sum();
        }

        private static boolean isNative(SampledStack stack) {
            return stack.frames().getFirst().inNative();
        }

        private static boolean isInputOutput(SampledStack stack) {
            String type = stack.frames().getFirst().type();
            return INPUT_OUTPUT.stream().anyMatch(type::startsWith);
        }

        private void methods(SampledStack stack, double share) {
            String innermost = stack.frames().getFirst().name();
            self.merge(innermost, share, Double::sum);
            Set<String> names = new HashSet<>();
            for (Frame frame : stack.frames()) {
                // Functions without a name are many: what one of them calls is no call of another.
                boolean one = !frame.method().equals(Frame.NO_NAME);
                if ((one || frame.name().equals(innermost)) && names.add(frame.name())) {
                    total.merge(frame.name(), share, Double::sum);
                }
            }
        }
    }

    /// The innermost call outside of the JDK, or the innermost call.
    static Frame owner(List<Frame> frames) {
        return frames.stream()
                .filter(frame -> !isJdk(frame.type()))
                .findFirst()
                .orElse(frames.getFirst());
    }

    private static final List<String> JDK =
            List.of(
                    "java.",
                    "jdk.",
                    "sun.",
                    "com.sun.",
                    "javax.crypto.",
                    "javax.net.",
                    "javax.security.");

    static boolean isJdk(String type) {
        return JDK.stream().anyMatch(type::startsWith);
    }
}

package wallfinder.lab.agent;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.Caveat;
import wallfinder.observation.CpuWindow;
import wallfinder.observation.CpuWindow.Frame;
import wallfinder.observation.CpuWindow.SampledAllocation;
import wallfinder.observation.CpuWindow.SampledStack;
import wallfinder.observation.Doubt;
import wallfinder.profiling.CpuProfiling;
import wallfinder.sandbox.RunningJvm;

/// The profiler of an agent. One thread does what the messages ask, in their order: the start and
/// the end take a while, and the agent answers pings meanwhile.
final class AgentProfile implements AutoCloseable {
    private static final long CLOSE_SECONDS_MAX = 5;

    private final Consumer<Message> send;
    private final Supplier<long[]> processes;
    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("profile").factory());
    private @Nullable CpuProfiling profiling; // of the thread

    /// @param processes those of the services that are watched, without their descendants
    AgentProfile(Supplier<long[]> processes, Consumer<Message> send) {
        this.processes = processes;
        this.send = send;
    }

    /// @throws IOException if no agent gets such a message
    void answer(ProfileMessage message) throws IOException {
        switch (message) {
            case ProfileMessage.BeginProfile(CpuProfiling.Samples samples) ->
                    thread.execute(() -> begin(samples));
            case ProfileMessage.BeginWindow _ ->
                    thread.execute(() -> {
                        if (profiling != null) {
                            profiling.beginWindow();
                        }
                    });
            case ProfileMessage.EndWindow(double answered) ->
                    thread.execute(() -> {
                        if (profiling != null) {
                            profiling.endWindow(answered);
                        }
                    });
            case ProfileMessage.EndProfile _ -> thread.execute(this::end);
            default ->
                    throw new IOException("an agent gets no " + message.getClass().getSimpleName());
        }
    }

    private void begin(CpuProfiling.Samples samples) {
        stop();
        try {
            CpuProfiling begun = CpuProfiling.start(processes.get(), RunningJvm::major, samples);
            profiling = begun;
            send(new ProfileMessage.ProfileBegun(begun.anyJvm(), begun.doubts()));
        } catch (RuntimeException e) {
            Caveat doubt = Doubt.NO_STACKS.caveat(reason(e));
            send(new ProfileMessage.ProfileBegun(false, List.of(doubt)));
        }
    }

    private void end() {
        String lost = null;
        try {
            if (profiling != null) {
                profiling.stop().forEach(this::send);
            }
        } catch (IOException | RuntimeException e) {
            lost = reason(e);
        }
        stop();
        send(new ProfileMessage.ProfileEnded(lost));
    }

    private static String reason(Exception e) {
        Message.Failed failed = Agent.failed("the profile", e);
        return failed.what() + ": " + failed.why();
    }

    private void stop() {
        if (profiling != null) {
            profiling.close();
            profiling = null;
        }
    }

    private void send(CpuWindow window) {
        send(new ProfileMessage.Window(window));
        window.stacks().forEach((pid, stacks) -> send(pid, true, stacks));
        window.nativeStacks().forEach((pid, stacks) -> send(pid, false, stacks));
        inParts(
                window.allocations(),
                SampledAllocation::frames,
                part -> send(new ProfileMessage.Allocations(part)));
    }

    private void send(int pid, boolean ofJvm, List<SampledStack> stacks) {
        inParts(
                stacks,
                SampledStack::frames,
                part -> send(new ProfileMessage.Stacks(pid, ofJvm, part)));
    }

    private static <T> void inParts(
            List<T> all, Function<T, List<Frame>> frames, Consumer<List<T>> part) {
        List<T> left = all;
        while (!left.isEmpty()) {
            int fitting = StackTable.fitting(left.stream().map(frames).toList());
            part.accept(left.subList(0, fitting));
            left = left.subList(fitting, left.size());
        }
    }

    private void send(ProfileMessage message) {
        send.accept(new Message.OfProfile(message));
    }

    /// Ends the samples: a JVM that goes on must not be sampled for nobody.
    @Override
    public void close() {
        thread.execute(this::stop);
        thread.shutdown();
        try {
            thread.awaitTermination(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

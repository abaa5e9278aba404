package wallfinder.lab.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import wallfinder.observation.CpuWindow;
import wallfinder.observation.CpuWindow.Frame;
import wallfinder.observation.CpuWindow.Job;
import wallfinder.observation.CpuWindow.SampledAllocation;
import wallfinder.observation.CpuWindow.SampledStack;
import wallfinder.observation.CpuWindow.ThreadCpu;
import wallfinder.observation.Doubt;
import wallfinder.profiling.CpuProfiling.Samples;
import wallfinder.remote.Frames;

class ProfileMessageTest {
    private static final Frame MAIN = new Frame("org.example.Main", "main", false);
    private static final Frame WRITE = new Frame("", "write", true);
    private static final List<SampledStack> STACKS =
            List.of(
                    new SampledStack(List.of(WRITE, MAIN), 3),
                    new SampledStack(List.of(MAIN), 1),
                    new SampledStack(List.of(), 7));
    private static final List<SampledAllocation> ALLOCATIONS =
            List.of(new SampledAllocation("byte[]", List.of(MAIN), 1L << 40));
    private static final List<ThreadCpu> THREADS =
            List.of(
                    new ThreadCpu(7, "java", "main", Job.PROGRAM, 0.25, 0.125),
                    new ThreadCpu(7, "java", "GC Thread#0", Job.COLLECTOR, 0.5, 0));

    /// All messages of a profile, in the order of a profile.
    static List<ProfileMessage> messages() {
        return List.of(
                new ProfileMessage.BeginProfile(Samples.FINE),
                new ProfileMessage.ProfileBegun(
                        true,
                        List.of(
                                Doubt.NO_STACKS.caveat("process 8: no answer"),
                                Doubt.NO_KERNEL_SAMPLES.caveat("no right"))),
                new ProfileMessage.BeginWindow(),
                new ProfileMessage.EndWindow(Double.NaN),
                new ProfileMessage.EndProfile(),
                new ProfileMessage.Window(
                        new CpuWindow(
                                1.5,
                                100,
                                THREADS,
                                Map.of(),
                                Map.of(),
                                Map.of("write", 12L),
                                List.of(),
                                4)),
                new ProfileMessage.Stacks(7, true, STACKS),
                new ProfileMessage.Stacks(9, false, STACKS),
                new ProfileMessage.Allocations(ALLOCATIONS),
                new ProfileMessage.ProfileEnded(null),
                new ProfileMessage.ProfileEnded("no disk"));
    }

    private static Message carried(Message message) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        message.send(out);
        return Message.read(
                Objects.requireNonNull(Frames.read(new ByteArrayInputStream(out.toByteArray()))));
    }

    @Test
    void a_message_arrives_as_it_was_sent() throws Exception {
        for (ProfileMessage message : messages()) {
            Message sent = new Message.OfProfile(message);
            assertThat(carried(sent)).isEqualTo(sent);
        }
    }

    @Test
    void a_window_that_came_in_parts_is_whole() throws Exception {
        HeardProfile heard = new HeardProfile();
        for (ProfileMessage message : messages().subList(5, 10)) {
            heard.hear(message);
        }
        heard.hear(new ProfileMessage.Stacks(9, false, STACKS));
        heard.hear(new ProfileMessage.Stacks(8, true, STACKS));
        List<SampledStack> twice = new ArrayList<>(STACKS);
        twice.addAll(STACKS);
        assertThat(heard.windows())
                .containsExactly(
                        new CpuWindow(
                                1.5,
                                100,
                                THREADS,
                                Map.of(7, STACKS, 8, STACKS),
                                Map.of(9, twice),
                                Map.of("write", 12L),
                                ALLOCATIONS,
                                4));
    }

    /// The longest texts that a JVM allows in practice, all different.
    @Test
    void every_part_of_many_stacks_fits_into_a_frame() throws Exception {
        List<List<Frame>> left =
                IntStream.range(0, 100)
                        .mapToObj(stack ->
                                IntStream.range(0, 512)
                                        .mapToObj(frame ->
                                                new Frame(
                                                        "x".repeat(150) + stack,
                                                        "y".repeat(50) + frame,
                                                        false))
                                        .toList())
                        .toList();
        int sent = 0;
        while (!left.isEmpty()) {
            int fitting = StackTable.fitting(left);
            List<SampledStack> part =
                    left.subList(0, fitting).stream()
                            .map(frames -> new SampledStack(frames, 1))
                            .toList();
            Message message = new Message.OfProfile(new ProfileMessage.Stacks(7, true, part));
            assertThat(carried(message)).isEqualTo(message);
            left = left.subList(fitting, left.size());
            sent += fitting;
        }
        assertThat(sent).isEqualTo(100);
    }
}

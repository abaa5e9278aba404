package wallfinder.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProcessesTest {
    private Process process;

    @BeforeEach
    void start() throws Exception {
        process = new ProcessBuilder("sleep", "1000").start();
    }

    @AfterEach
    void end() {
        process.destroyForcibly();
    }

    private List<String> proc(String file) throws Exception {
        return Files.readAllLines(Path.of("/proc", "" + process.pid(), file));
    }

    @Test
    void a_process_gets_its_descriptor_limit_and_its_cpus() throws Exception {
        Processes.limitDescriptors(process.pid(), 123);
        BitSet first = new BitSet();
        first.set(0);
        Affinity.pin(process.pid(), first);
        assertThat(proc("limits")).anyMatch(line -> line.matches("Max open files +123 +123 .*"));
        assertThat(proc("status")).contains("Cpus_allowed_list:\t0");
    }

    @Test
    void the_most_descriptors_are_the_hard_limit_of_this_process() throws Exception {
        String hard = Long.toString(Processes.descriptorsMax());
        assertThat(Files.readAllLines(Path.of("/proc/self/limits")))
                .anyMatch(line -> line.matches("Max open files +\\d+ +" + hard + " .*"));
    }

    @Test
    void a_process_is_killed_only_if_it_is_still_the_intended_one() throws Exception {
        assertThat(Processes.kill(process.pid(), () -> false)).isFalse();
        assertThat(process.isAlive()).isTrue();
        assertThat(Processes.kill(process.pid(), () -> true)).isTrue();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(128 + Processes.SIGKILL);
        assertThat(Processes.kill(process.pid(), () -> true)).isFalse();
    }

    @Test
    void the_id_of_the_calling_thread_is_the_name_of_its_folder() throws Exception {
        assertThat(Path.of("/proc/thread-self").toRealPath())
                .hasFileName(Integer.toString(Affinity.threadId()));
    }
}

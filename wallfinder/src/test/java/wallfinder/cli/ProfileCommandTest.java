package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `profile` as a user starts it.
@Tag("slow")
@Timeout(180)
class ProfileCommandTest extends ProgramTest {
    @Test
    void a_busy_jvm_has_its_methods_and_keeps_its_output_to_itself() throws Exception {
        Process busy =
                new ProcessBuilder(
                                System.getProperty("java.home") + "/bin/java",
                                Files.writeString(
                                                program.file("Busy.java"),
                                                """
                                                class Busy {
                                                    static volatile double sum;
                                                    public static void main(String[] arguments) {
                                                        System.out.println("started");
                                                        while (true) {
                                                            spin();
                                                        }
                                                    }
                                                    static void spin() {
                                                        for (int i = 0; i < 1_000_000; i++) {
                                                            sum += Math.sqrt(i);
                                                        }
                                                    }
                                                }
                                                """)
                                        .toString())
                        .start();
        try {
            assertThat(busy.inputReader().readLine()).isEqualTo("started");
            String pid = Long.toString(busy.pid());
            Program.Ended ended =
                    program.run("profile", "--pid", pid, "-d", "4s", "--json", json.toString());
            assertThat(ended.done(0).out())
                    .contains("It used ", "Busy.spin", "application", "Files: ")
                    .doesNotContain("Wall: ", "Doubts\n  no-stacks");
            assertThat(Program.schemaErrors(json)).isEmpty();
            assertThat(Files.readString(json)).contains("\"methods\" : [", "Busy.spin");
            assertThat(busy.inputReader().ready()).as("the program's output").isFalse();
        } finally {
            busy.destroyForcibly();
            assertThat(busy.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void a_process_that_is_not_a_jvm_is_one_part() throws Exception {
        Process busy = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
        try {
            String pid = Long.toString(busy.pid());
            assertThat(program.run("profile", "--pid", pid, "-d", "3s").done(0).out())
                    .contains("It used ", "process")
                    .doesNotContain("method  ", "no-stacks");
        } finally {
            busy.destroyForcibly();
            assertThat(busy.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void a_process_that_does_nothing_used_no_cpu() throws Exception {
        Process idle = new ProcessBuilder("sleep", "60").start();
        try {
            String pid = Long.toString(idle.pid());
            assertThat(program.run("profile", "--pid", pid, "-d", "2s").done(0).out())
                    .contains("It used no CPU");
        } finally {
            idle.destroyForcibly();
            assertThat(idle.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
    }
}

package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `jvm options` as a user calls it. The tests of the start script check the options themselves.
@Tag("slow")
@Timeout(120)
class JvmOptionsTest extends ProgramTest {
    @BeforeEach
    void no_options_of_the_host() {
        program.under("env", "-u", "JAVA_OPTIONS");
    }

    @Test
    void the_options_for_a_limit_are_those_of_the_start_script() throws Exception {
        assertThat(jvmOptions("--memory=256m", "--cpus=500m").done(0).out())
                .containsPattern("-Xmx\\d+m ")
                .contains("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
                .endsWith("\n");
    }

    @Test
    void explain_prints_the_arithmetic_and_the_jvm() throws Exception {
        assertThat(
                        jvmOptions("--memory=1g", "--classes=10k", "--threads=50", "--explain")
                                .done(0)
                                .out())
                .contains("# memory: 1024 MB, --limit", "classes: 10000 x", "threads: 50 x")
                .contains("# Java: " + Runtime.version().feature() + ", ");
    }

    @Test
    void a_wrong_size_is_exit_code_2_and_a_missing_jvm_is_3() throws Exception {
        jvmOptions("--memory=much").failed(2, "much");
        jvmOptions("--memory=256m", "--jvm=7").failed(3, "there is no JVM 7");
    }

    private Program.Ended jvmOptions(String... options) throws Exception {
        String[] words = new String[options.length + 2];
        words[0] = "jvm";
        words[1] = "options";
        System.arraycopy(options, 0, words, 2, options.length);
        return program.run(words);
    }
}

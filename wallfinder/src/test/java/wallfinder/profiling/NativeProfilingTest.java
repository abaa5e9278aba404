package wallfinder.profiling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.StartedProcesses;
import wallfinder.diagnosis.CpuProfile;

/// Programs that are no JVM. Each does two kinds of work and measures the CPU time of both. In Go
/// the pieces of work have random lengths: with pieces of a fixed length, samples at a fixed
/// distance might always meet the same places.
@Tag("sandbox")
class NativeProfilingTest {
    private static final double POINTS = 0.03;

    /// Half as many samples would miss three points once in a hundred shares.
    private static final int WINDOWS = 16;

    private static final String GO =
            """
            package main

            import (
                "fmt"
                "math/rand"
                "runtime"
                "syscall"
            )

            var sum uint32

            //go:noinline
            func heavy(n uint32) {
                for i := uint32(0); i < 3*n; i++ {
                    sum = sum*31 + i
                }
            }

            //go:noinline
            func light(n uint32) {
                for i := uint32(0); i < n; i++ {
                    sum = sum*31 + i
                }
            }

            func used() int64 {
                var usage syscall.Rusage
                syscall.Getrusage(1, &usage)
                return usage.Utime.Nano() + usage.Stime.Nano()
            }

            func main() {
                runtime.LockOSThread()
                ended := make(chan bool)
                go func() {
                    fmt.Scanln()
                    ended <- true
                }()
                fmt.Println("warm")
                var inHeavy, inLight int64
                for {
                    n := uint32(rand.Intn(1000000))
                    start := used()
                    heavy(n)
                    middle := used()
                    light(n)
                    inHeavy += middle - start
                    inLight += used() - middle
                    select {
                    case <-ended:
                        fmt.Println(float64(inHeavy) / float64(inHeavy+inLight))
                        return
                    default:
                    }
                }
            }
            """;

    private static final String NODE =
            """
            let sum = 0;
            function heavy() { for (let i = 0; i < 3000000; i++) sum = (sum * 31 + i) | 0; }
            function light() { for (let i = 0; i < 1000000; i++) sum = (sum * 31 + i) | 0; }
            const used = () => { const { user, system } = process.cpuUsage(); return user + system; };
            let inHeavy = 0, inLight = 0, ended = false;
            process.stdin.on('data', () => { ended = true; });
            function work() {
              const start = used();
              heavy();
              const middle = used();
              light();
              inHeavy += middle - start;
              inLight += used() - middle;
              if (ended) {
                console.log(inHeavy / (inHeavy + inLight));
                process.exit(0);
              }
              setImmediate(work);
            }
            for (let i = 0; i < 200; i++) { heavy(); light(); }
            console.log('warm');
            work();
            """;

    @TempDir Path folder;
    @RegisterExtension final StartedProcesses started = new StartedProcesses();

    private Process start(String... command) throws IOException {
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        started.add(process);
        return process;
    }

    private static Duration cpu(Process process) {
        return process.info().totalCpuDuration().orElseThrow();
    }

    /// What the profile says of `heavy` is within three points of what the program measured.
    private static CpuProfile assertHeavy(String name, Process process) throws IOException {
        BufferedReader out = process.inputReader();
        assertThat(out.readLine()).isEqualTo("warm");
        CpuProfile profile;
        try (CpuProfiling profiling =
                CpuProfiling.start(
                        new long[] {process.pid()}, pid -> 0, CpuProfiling.Samples.SPARING)) {
            for (int i = 0; i < WINDOWS; i++) {
                Duration end = cpu(process).plusSeconds(1);
                while (cpu(process).compareTo(end) < 0) {
                    LockSupport.parkNanos(10_000_000);
                }
                profiling.endWindow(Double.NaN);
            }
            profile = CpuProfile.of(profiling.stop()).orElseThrow();
        }
        process.outputWriter().append('\n').flush();
        double truth = Double.parseDouble(out.readLine());
        CpuProfile.Method heavy = profile.methods().getFirst();
        assertThat(heavy.name()).isEqualTo(name);
        assertThat(heavy.self().mean())
                .as("%s", profile.methods())
                .isCloseTo(truth, within(POINTS));
        assertThat(profile.samples()).isGreaterThan(1_000);
        return profile;
    }

    @Test
    @Tag("long")
    void a_go_program_has_its_functions_and_their_callers() throws Exception {
        Path source = Files.writeString(folder.resolve("costs.go"), GO);
        String program = folder.resolve("costs").toString();
        ProcessBuilder build = new ProcessBuilder("go", "build", "-o", program, "" + source);
        build.environment().put("CGO_ENABLED", "0");
        build.environment().put("GOTOOLCHAIN", "local");
        assertThat(build.inheritIO().start().waitFor()).isZero();
        CpuProfile profile = assertHeavy("main.heavy", start(program));
        assertThat(profile.parts().getFirst().name()).isEqualTo("costs: main");
        assertThat(profile.flames().boxes())
                .extracting(box -> box.depth() + " " + box.name())
                .as("main.main is inlined")
                .contains("0 costs", "1 runtime.goexit", "2 runtime.main", "3 main.heavy");
    }

    @Test
    @Tag("long")
    void a_node_program_says_the_names_of_its_functions_if_it_is_asked_to() throws Exception {
        Path source = Files.writeString(folder.resolve("costs.js"), NODE);
        CpuProfile named =
                assertHeavy(
                        "JavaScript.heavy costs.js:2:15",
                        start("node", "--perf-basic-prof", source.toString()));
        assertThat(named.parts().getFirst().name()).isEqualTo("node: JavaScript");
        CpuProfile profile = unnamed(start("node", source.toString()));
        assertThat(profile.parts().getFirst().name()).isEqualTo("node: compiled code");
    }

    private static CpuProfile unnamed(Process process) throws IOException {
        assertThat(process.inputReader().readLine()).isEqualTo("warm");
        try (CpuProfiling profiling =
                CpuProfiling.start(
                        new long[] {process.pid()}, pid -> 0, CpuProfiling.Samples.SPARING)) {
            Duration end = cpu(process).plusMillis(500);
            while (cpu(process).compareTo(end) < 0) {
                LockSupport.parkNanos(10_000_000);
            }
            profiling.endWindow(Double.NaN);
            return CpuProfile.of(profiling.stop()).orElseThrow();
        }
    }
}

package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.experiment.JvmOption;
import wallfinder.experiment.Setting;
import wallfinder.record.Applied;
import wallfinder.record.RunRecord;

/// A search that may turn the options of a JVM (`try: [jvm]`), at a service that needs the CPU.
@Tag("sandbox")
@Tag("long")
@Timeout(900)
class PlantedJvmOptionsTest {
    private static final String YAML =
            """
            services:
              web:
                command: >-
                  {jvm}/bin/java -XX:+UseSerialGC -Xmx320m -XX:TieredStopAtLevel=1
                  $GarbageServer.java 8080 16 120 256
                jvm: 25
                cpuset: 1
                ready: http://{server}:8080/
            load: { url: "http://{server}:8080/", connections: 16, warmup: 3s, duration: 2s }
            try: [jvm]
            repeat: 2
            """;

    @TempDir Path folder;

    @Test
    void each_option_that_this_jvm_has_is_measured_in_pairs() throws Exception {
        try (PlantedRun run = new PlantedRun(folder)) {
            run.stopAfterFirstRung();
            RunRecord.Rung rung = run.find(YAML).ladder().getFirst();
            List<Applied> tried =
                    Stream.concat(rung.without().stream(), Stream.ofNullable(rung.remedy()))
                            .toList();
            assertThat(tried).as(run.output()).isNotEmpty();
            assertThat(tried)
                    .allSatisfy(applied -> {
                        assertThat(applied.throughput().pairs()).isEqualTo(2);
                        assertThat(applied.comparable()).isTrue();
                    })
                    .flatExtracting(applied -> applied.remedy().changes())
                    .allSatisfy(change ->
                            assertThat(change.setting()).isInstanceOf(Setting.OfJvm.class))
                    .as("one CPU has the serial collector, and the first level alone compiles")
                    .extracting(change -> ((Setting.OfJvm) change.setting()).kind())
                    .doesNotContain(JvmOption.Kind.TIERS);
            if (rung.remedy() == null) {
                assertThat(tried)
                        .flatExtracting(applied -> applied.remedy().changes())
                        .extracting(change -> ((Setting.OfJvm) change.setting()).kind())
                        .contains(JvmOption.Kind.OBJECT_HEADERS, JvmOption.Kind.COLLECTOR);
            }
        }
    }
}

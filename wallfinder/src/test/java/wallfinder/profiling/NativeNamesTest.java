package wallfinder.profiling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The names of functions that are no Java methods.
class NativeNamesTest {
    @ParameterizedTest
    @CsvSource({
        "net/http.(*conn).serve, net/http, (*conn).serve",
        "main.main, main, main",
        "gopkg.in/yaml%2ev3.Unmarshal, gopkg.in/yaml%2ev3, Unmarshal",
        "runtime.memmove, runtime, memmove",
        "aeshashbody, '', aeshashbody",
    })
    void a_go_function_belongs_to_its_package(String name, String type, String method) {
        assertThat(NativeNames.go(name).type()).isEqualTo(type);
        assertThat(NativeNames.go(name).method()).isEqualTo(method);
    }

    @Test
    void a_generic_go_function_keeps_the_types_in_its_name() {
        String name = "slices.SortFunc[go.shape.[]example.com/a.B]";
        assertThat(NativeNames.go(name).type()).isEqualTo("slices");
    }

    @ParameterizedTest
    @CsvSource({
        "_ZN2v88internal4Heap14CollectGarbageENS0_15AllocationSpaceE, v8::internal, Heap::CollectGarbage",
        "_ZNK4node9inspector5Agent8IsActiveEv, node::inspector, Agent::IsActive",
        "_ZNSt6vectorIiSaIiEE9push_backEOi, std, vector",
        "_ZN4core3fmt5write17h0123456789abcdefE, core::fmt, write",
    })
    void a_mangled_name_becomes_a_readable_one(String name, String type, String method) {
        assertThat(NativeNames.mangled(name).orElseThrow().type()).isEqualTo(type);
        assertThat(NativeNames.mangled(name).orElseThrow().method()).isEqualTo(method);
    }

    @Test
    void what_only_looks_mangled_has_no_nested_name() {
        assertThat(NativeNames.mangled("_ZN")).isEmpty();
        assertThat(NativeNames.mangled("_ZN99999999999999999999x")).isEmpty();
        assertThat(NativeNames.mangled("malloc")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "JS:*handler /srv/app/server.js:12:3, JavaScript.handler server.js:12:3",
        "JS:~ /srv/app/server.js:1:1, JavaScript.(anonymous) server.js:1:1",
        "py::parse:/srv/app/parser.py, Python.parse parser.py",
        "Builtin:ArrayPush, compiled code.Builtin:ArrayPush",
    })
    void compiled_code_has_the_name_that_the_program_wrote_down(String name, String expected) {
        assertThat(NativeNames.compiled(name).name()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "/usr/lib/libssl.so.3, libssl",
        "/usr/sbin/nginx, nginx",
        "/a/python3.11, python3_11"
    })
    void a_file_is_a_library_or_a_program(String file, String expected) {
        assertThat(NativeNames.library(file)).isEqualTo(expected);
    }

    @Test
    void a_broken_file_is_refused(@TempDir Path folder) throws Exception {
        byte[] whole = Files.readAllBytes(Path.of(ProcessHandle.current().info().command().get()));
        Path file = folder.resolve("broken");
        Random random = new Random(3);
        int refused = 0;
        for (int i = 0; i < 2_000; i++) {
            byte[] broken = whole.clone();
            for (int j = 0; j < 8; j++) {
                broken[random.nextInt(64)] = (byte) random.nextInt();
            }
            Files.write(file, broken);
            try {
                ElfSymbols.read(file).name(random.nextLong());
            } catch (IOException e) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
        Files.write(file, new byte[10]);
        assertThatThrownBy(() -> ElfSymbols.read(file)).isInstanceOf(IOException.class);
    }
}

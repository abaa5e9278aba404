package wallfinder.profiling;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The names of the kernel's functions (`/proc/kallsyms`), and what a thread asked the kernel for.
final class KernelSymbols {
    private static final Path FILE = Path.of("/proc/kallsyms");

    /// The functions that begin a system call, on x86-64 and arm64. The compiler may leave them out
    /// of the stack if the next one is all that they call.
    private static final List<String> SYSTEM_CALLS =
            List.of(
                    "__x64_sys_",
                    "__arm64_sys_",
                    "__ia32_sys_",
                    "__se_sys_",
                    "__do_sys_",
                    "ksys_",
                    "__sys_");

    private static final List<String> FAULTS =
            List.of("exc_page_fault", "do_user_addr_fault", "do_mem_abort");

    private static final List<String> INTERRUPTS =
            List.of("sysvec_", "common_interrupt", "el0_interrupt", "el1_interrupt");

    private final TreeMap<Long, String> names = new TreeMap<>(Long::compareUnsigned);

    private KernelSymbols() {}

    /// @return empty if this user may not see the addresses
    static Optional<KernelSymbols> read() {
        KernelSymbols symbols = new KernelSymbols();
        try (BufferedReader lines = Files.newBufferedReader(FILE, StandardCharsets.ISO_8859_1)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                symbols.add(line);
            }
        } catch (IOException e) {
            return Optional.empty();
        }
        return symbols.names.size() > 1 ? Optional.of(symbols) : Optional.empty();
    }

    /// An address, a type and a name. The types `t` and `T` are functions.
    private void add(String line) {
        String[] words = line.split("[ \t]", 4);
        if (words.length >= 3 && words[1].equalsIgnoreCase("t")) {
            long address = Long.parseUnsignedLong(words[0], 16);
            if (address != 0) {
                names.put(address, words[2]);
            }
        }
    }

    private String name(long address) {
        Map.Entry<Long, String> function = names.floorEntry(address);
        return function == null ? "" : function.getValue();
    }

    /// What a thread was in the kernel for: the outermost function that says it. A packet that
    /// arrives during a system call counts for that call.
    ///
    /// @param calls the innermost first
    String purpose(long[] calls) {
        List<String> outermostFirst = Arrays.stream(calls).mapToObj(this::name).toList().reversed();
        return outermostFirst.stream()
                .flatMap(name -> purpose(name).stream())
                .findFirst()
                .orElse("other");
    }

    static Optional<String> purpose(String function) {
        for (String prefix : SYSTEM_CALLS) {
            if (function.startsWith(prefix)) {
                return Optional.of(function.substring(prefix.length()));
            }
        }
        if (FAULTS.stream().anyMatch(function::contains)) {
            return Optional.of("page faults");
        }
        return INTERRUPTS.stream().anyMatch(function::contains)
                ? Optional.of("interrupts")
                : Optional.empty();
    }
}

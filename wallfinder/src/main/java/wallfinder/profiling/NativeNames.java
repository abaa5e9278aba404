package wallfinder.profiling;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import wallfinder.observation.CpuWindow.Frame;

/// What programmers call a function: with the package of Go, the namespace of C++ and Rust, or the
/// library of C.
final class NativeNames {
    private static final int NAMESPACES_MAX = 2;

    /// Rust ends a name with its hash.
    private static final Pattern RUST_HASH = Pattern.compile("h[0-9a-f]{16}");

    /// How V8 marks what compiled a function, such as `JS:*` or `LazyCompile:~`.
    private static final Pattern JAVASCRIPT =
            Pattern.compile("(?:JS|LazyCompile|Function|Script|Eval):[*~^+']*(\\S*) ?(.*)");

    /// The Go compiler marks what follows its old calling convention.
    private static final String GO_ABI = ".abi0";

    private static final String PYTHON = "py::";

    private NativeNames() {}

    /// @param file the path of the mapped file
    /// @param offset of the code in it
    static Frame of(String file, ElfSymbols symbols, long offset) {
        String name = symbols.name(offset);
        if (name.isEmpty()) {
            return new Frame(library(file), Frame.NO_NAME, false);
        }
        if (symbols.isGo()) {
            return go(name);
        }
        return mangled(name).orElseGet(() -> new Frame(library(file), name, false));
    }

    /// `libssl` for `/usr/lib/libssl.so.3`.
    static String library(String file) {
        String name = String.valueOf(Path.of(file).getFileName());
        int end = name.indexOf(".so");
        return end > 0 ? name.substring(0, end) : name.replace('.', '_');
    }

    /// `net/http` and `(*conn).serve` for `net/http.(*conn).serve`.
    static Frame go(String symbol) {
        String name =
                symbol.endsWith(GO_ABI)
                        ? symbol.substring(0, symbol.length() - GO_ABI.length())
                        : symbol;
        int bracket = name.indexOf('[');
        String plain = bracket < 0 ? name : name.substring(0, bracket);
        int dot = plain.indexOf('.', plain.lastIndexOf('/') + 1);
        return dot < 0
                ? new Frame("", name, false)
                : new Frame(name.substring(0, dot), name.substring(dot + 1), false);
    }

    /// The nested name at the start of a mangled one, without its arguments; empty if there is
    /// none.
    static Optional<Frame> mangled(String name) {
        if (!name.startsWith("_ZN")) {
            return Optional.empty();
        }
        List<String> parts = new ArrayList<>();
        int at = 3;
        while (at < name.length() && "KVrS".indexOf(name.charAt(at)) >= 0) {
            if (name.startsWith("St", at)) {
                parts.add("std");
                at++;
            }
            at++;
        }
        while (at < name.length() && Character.isDigit(name.charAt(at))) {
            int length = 0;
            while (at < name.length() && Character.isDigit(name.charAt(at))) {
                length = Math.min(name.length(), length * 10 + name.charAt(at++) - '0');
            }
            int end = Math.min(name.length(), at + length);
            String part = name.substring(at, end);
            at = end;
            if (!part.isEmpty() && !RUST_HASH.matcher(part).matches()) {
                parts.add(part);
            }
        }
        if (parts.size() < 2) {
            return Optional.empty();
        }
        int namespaces = Math.min(NAMESPACES_MAX, parts.size() - 1);
        return Optional.of(
                new Frame(
                        String.join("::", parts.subList(0, namespaces)),
                        String.join("::", parts.subList(namespaces, parts.size())),
                        false));
    }

    /// A name in a `perf-PID.map`.
    static Frame compiled(String name) {
        Matcher javaScript = JAVASCRIPT.matcher(name);
        if (javaScript.matches()) {
            String function = javaScript.group(1).isEmpty() ? "(anonymous)" : javaScript.group(1);
            return new Frame("JavaScript", placed(function, javaScript.group(2)), false);
        }
        if (name.startsWith(PYTHON)) {
            String[] parts = name.substring(PYTHON.length()).split(":", 2);
            return new Frame("Python", placed(parts[0], parts.length > 1 ? parts[1] : ""), false);
        }
        return new Frame("compiled code", name, false);
    }

    private static String placed(String function, String place) {
        String file = place.substring(place.lastIndexOf('/') + 1);
        return file.isEmpty() ? function : function + " " + file;
    }
}

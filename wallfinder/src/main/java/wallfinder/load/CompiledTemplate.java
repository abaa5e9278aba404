package wallfinder.load;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import wallfinder.experiment.Template;
import wallfinder.linux.Memory;

/// A text with variables, prepared for writing into native memory. Each step has a kind and two
/// numbers, whose meaning depends on the kind.
final class CompiledTemplate {
    /// The numbers are an address and a length.
    static final int BYTES = 0;

    static final int COUNTER = 1;

    /// The numbers are the minimum and the count of values.
    static final int RANDOM = 2;

    static final int BODY_LENGTH = 3;
    static final int COOKIES = 4;

    private static final int DIGITS_MAX = 19;

    final int[] kinds;
    final long[] firsts;
    final long[] seconds;

    final int variables;

    final int plainBytes;

    final int bytesMax;

    private CompiledTemplate(List<Step> steps) {
        int count = steps.size();
        kinds = new int[count];
        firsts = new long[count];
        seconds = new long[count];
        for (int i = 0; i < count; i++) {
            kinds[i] = steps.get(i).kind;
            firsts[i] = steps.get(i).first;
            seconds[i] = steps.get(i).second;
        }
        variables = (int) steps.stream().filter(Step::isVariable).count();
        plainBytes =
                steps.stream().mapToInt(step -> step.kind == BYTES ? (int) step.second : 0).sum();
        bytesMax = steps.stream().mapToInt(Step::bytesMax).sum();
    }

    boolean counts() {
        return Arrays.stream(kinds).anyMatch(kind -> kind == COUNTER);
    }

    /// Whether the text never changes: it is one piece of bytes, or empty.
    boolean isPlain() {
        return Arrays.stream(kinds).allMatch(kind -> kind == BYTES);
    }

    private record Step(int kind, long first, long second) {
        boolean isVariable() {
            return kind == COUNTER || kind == RANDOM;
        }

        int bytesMax() {
            return switch (kind) {
                case BYTES -> (int) second;
                case COOKIES -> Cookies.HEADER_BYTES_MAX;
                default -> DIGITS_MAX;
            };
        }
    }

    /// Collects the steps and puts their bytes into the memory of an arena.
    static final class Writer {
        private final Arena arena;
        private final List<Step> steps = new ArrayList<>();
        private final ByteArrayOutputStream plain = new ByteArrayOutputStream();

        Writer(Arena arena) {
            this.arena = arena;
        }

        Writer text(String text) {
            return bytes(text.getBytes(StandardCharsets.UTF_8));
        }

        Writer bytes(byte[] bytes) {
            plain.writeBytes(bytes);
            return this;
        }

        Writer template(Template template) {
            for (Template.Part part : template.parts()) {
                switch (part) {
                    case Template.Text(String text) -> text(text);
                    case Template.Counter() -> step(COUNTER, 0, 0);
                    case Template.Random(long min, long max) -> step(RANDOM, min, max - min + 1);
                }
            }
            return this;
        }

        /// @param kind a kind without numbers
        Writer step(int kind) {
            return step(kind, 0, 0);
        }

        private Writer step(int kind, long first, long second) {
            endPlain();
            steps.add(new Step(kind, first, second));
            return this;
        }

        private void endPlain() {
            int length = plain.size();
            if (length > 0) {
                long address = arena.allocate(length).address();
                Memory.putBytes(address, plain.toByteArray());
                steps.add(new Step(BYTES, address, length));
                plain.reset();
            }
        }

        CompiledTemplate end() {
            endPlain();
            return new CompiledTemplate(steps);
        }
    }
}

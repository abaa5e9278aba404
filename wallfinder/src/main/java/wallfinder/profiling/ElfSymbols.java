package wallfinder.profiling;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/// The functions of a native program or library, from the symbol tables of its file (ELF of 64
/// bits). A stripped program has none, a stripped library only those that others may call.
final class ElfSymbols {
    static final ElfSymbols NONE = new ElfSymbols(List.of(), List.of(), false);

    private static final byte[] MAGIC = {0x7f, 'E', 'L', 'F', 2, 1};
    private static final int HEADER_BYTES = 64;
    private static final int SECTION_BYTES = 64;
    private static final int SEGMENT_BYTES = 56;
    private static final int SYMBOL_BYTES = 24;
    private static final int LOADED = 1;
    private static final int SYMBOL_TABLE = 2;
    private static final int DYNAMIC_SYMBOLS = 11;
    private static final int FUNCTION = 2;
    private static final int INDIRECT_FUNCTION = 10;

    /// A larger table is not read.
    private static final int TABLE_BYTES_MAX = 256 << 20;

    private static final String GO_TABLE = ".gopclntab";

    private final List<Segment> segments;
    private final long[] starts;
    private final List<Function> functions;
    private final boolean isGo;

    private ElfSymbols(List<Segment> segments, List<Function> functions, boolean isGo) {
        this.segments = segments;
        this.functions = functions;
        this.isGo = isGo;
        starts = functions.stream().mapToLong(Function::start).toArray();
    }

    private record Section(int name, int type, long offset, long bytes, int link) {}

    private record Segment(long offset, long address, long bytes) {}

    private record Function(long start, long bytes, String name) {}

    /// Whether the Go compiler made the file.
    boolean isGo() {
        return isGo;
    }

    /// The function at a place in the file; empty if no table has it.
    String name(long offset) {
        for (Segment segment : segments) {
            long into = offset - segment.offset();
            if (into >= 0 && into < segment.bytes()) {
                return nameAt(segment.address() + into);
            }
        }
        return "";
    }

    private String nameAt(long address) {
        int at = Arrays.binarySearch(starts, address);
        int index = at >= 0 ? at : -at - 2;
        if (index < 0) {
            return "";
        }
        Function function = functions.get(index);
        // Assembly may leave out the size.
        boolean within = function.bytes() == 0 || address - function.start() < function.bytes();
        return within ? function.name() : "";
    }

    /// @throws IOException if the file cannot be read or is no such file
    static ElfSymbols read(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return new Reading(channel).symbols();
        } catch (IndexOutOfBoundsException | BufferUnderflowException e) {
            throw new IOException("broken symbol tables", e);
        }
    }

    private record Reading(FileChannel file) {
        ElfSymbols symbols() throws IOException {
            ByteBuffer header = bytes(0, HEADER_BYTES);
            for (int i = 0; i < MAGIC.length; i++) {
                if (header.get(i) != MAGIC[i]) {
                    throw new IOException("no ELF file of 64 bits");
                }
            }
            List<Segment> segments = segments(header);
            List<Section> sections = sections(header);
            int names = Short.toUnsignedInt(header.getShort(62));
            ByteBuffer texts =
                    names < sections.size() ? bytes(sections.get(names)) : ByteBuffer.allocate(0);
            boolean isGo = sections.stream().anyMatch(s -> text(texts, s.name()).equals(GO_TABLE));
            List<Function> functions = new ArrayList<>();
            for (Section section : sections) {
                boolean holds = section.type() == SYMBOL_TABLE || section.type() == DYNAMIC_SYMBOLS;
                if (holds && section.link() >= 0 && section.link() < sections.size()) {
                    add(bytes(section), bytes(sections.get(section.link())), functions);
                }
            }
            functions.sort(Comparator.comparingLong(Function::start));
            return new ElfSymbols(segments, functions, isGo);
        }

        private List<Segment> segments(ByteBuffer header) throws IOException {
            int count = Short.toUnsignedInt(header.getShort(56));
            ByteBuffer table = bytes(header.getLong(32), (long) count * SEGMENT_BYTES);
            List<Segment> segments = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int at = i * SEGMENT_BYTES;
                if (table.getInt(at) == LOADED) {
                    segments.add(
                            new Segment(
                                    table.getLong(at + 8),
                                    table.getLong(at + 16),
                                    table.getLong(at + 32)));
                }
            }
            return segments;
        }

        private List<Section> sections(ByteBuffer header) throws IOException {
            int count = Short.toUnsignedInt(header.getShort(60));
            ByteBuffer table = bytes(header.getLong(40), (long) count * SECTION_BYTES);
            List<Section> sections = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int at = i * SECTION_BYTES;
                sections.add(
                        new Section(
                                table.getInt(at),
                                table.getInt(at + 4),
                                table.getLong(at + 24),
                                table.getLong(at + 32),
                                table.getInt(at + 40)));
            }
            return sections;
        }

        private static void add(ByteBuffer table, ByteBuffer texts, List<Function> functions) {
            for (int at = 0; at + SYMBOL_BYTES <= table.limit(); at += SYMBOL_BYTES) {
                int type = table.get(at + 4) & 0xf;
                long start = table.getLong(at + 8);
                if (start != 0 && (type == FUNCTION || type == INDIRECT_FUNCTION)) {
                    String name = text(texts, table.getInt(at));
                    functions.add(new Function(start, table.getLong(at + 16), name));
                }
            }
        }

        private static String text(ByteBuffer texts, int at) {
            if (at < 0 || at >= texts.limit()) {
                return "";
            }
            int end = at;
            while (end < texts.limit() && texts.get(end) != 0) {
                end++;
            }
            byte[] name = new byte[end - at];
            texts.get(at, name);
            return new String(name, StandardCharsets.UTF_8);
        }

        private ByteBuffer bytes(Section section) throws IOException {
            return bytes(section.offset(), section.bytes());
        }

        private ByteBuffer bytes(long offset, long count) throws IOException {
            if (offset < 0
                    || count < 0
                    || count > TABLE_BYTES_MAX
                    || offset + count > file.size()) {
                throw new IOException("a table is outside of the file");
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) count).order(ByteOrder.LITTLE_ENDIAN);
            while (bytes.hasRemaining() && file.read(bytes, offset + bytes.position()) > 0) {
                // on to the rest
            }
            return bytes.flip();
        }
    }
}

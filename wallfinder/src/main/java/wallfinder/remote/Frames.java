package wallfinder.remote;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.cbor.CBORMapper;

/// Messages between two processes of this program: four bytes with the length, the most significant
/// first, and that many bytes with one value in CBOR (RFC 8949).
public final class Frames {
    /// The largest message describes a service with all its counters, and has a tenth of this.
    static final int FRAME_BYTES_MAX = 4 << 20;

    /// Comes before the first frame. A login shell may print text of its own at its start.
    private static final byte[] BEGIN = "\0wallfinder-frames\0".getBytes(StandardCharsets.US_ASCII);

    private static final int TEXT_BEFORE_BYTES_MAX = 64 << 10;
    private static final CBORMapper MAPPER = new CBORMapper();

    private Frames() {}

    public static void begin(OutputStream out) throws IOException {
        out.write(BEGIN);
        out.flush();
    }

    /// Skips what comes before the first frame.
    ///
    /// @throws EOFException if no frame follows
    public static void awaitBegin(InputStream in) throws IOException {
        int matched = 0;
        for (int bytes = 0; matched < BEGIN.length; bytes++) {
            int read = in.read();
            if (read < 0) {
                throw new EOFException("the stream ended before the first message");
            }
            if (bytes > TEXT_BEFORE_BYTES_MAX) {
                throw new IOException(
                        "%d bytes came, and no message".formatted(TEXT_BEFORE_BYTES_MAX));
            }
            // Only the first byte of the mark and its last are zero.
            matched = read == BEGIN[matched] ? matched + 1 : read == BEGIN[0] ? 1 : 0;
        }
    }

    /// Writes one message, whole. Several threads may write to the same stream.
    ///
    /// @throws IllegalArgumentException if it is larger than a frame may be
    public static void write(OutputStream out, Map<String, ?> message) throws IOException {
        byte[] cbor = MAPPER.writeValueAsBytes(message);
        if (cbor.length > FRAME_BYTES_MAX) {
            throw new IllegalArgumentException("a message of " + cbor.length + " bytes");
        }
        byte[] frame = ByteBuffer.allocate(4 + cbor.length).putInt(cbor.length).put(cbor).array();
        synchronized (out) {
            out.write(frame);
            out.flush();
        }
    }

    /// Reads the next frame, without a look into it.
    ///
    /// @return null if the stream ended after the last frame
    /// @throws IOException if the stream ended in the middle, or if its length is impossible
    public static byte @Nullable [] read(InputStream in) throws IOException {
        byte[] length = in.readNBytes(4);
        if (length.length == 0) {
            return null;
        }
        if (length.length < 4) {
            throw new EOFException("the stream ended in the middle of a message");
        }
        int bytes = ByteBuffer.wrap(length).getInt();
        if (bytes < 1 || bytes > FRAME_BYTES_MAX) {
            throw new IOException(
                    "a message of %,d bytes, and at most %,d are allowed"
                            .formatted(bytes & 0xffffffffL, FRAME_BYTES_MAX));
        }
        byte[] cbor = in.readNBytes(bytes);
        if (cbor.length < bytes) {
            throw new EOFException("the stream ended in the middle of a message");
        }
        return cbor;
    }

    /// @throws IOException if it is not one map in CBOR
    public static JsonNode tree(byte[] cbor) throws IOException {
        try {
            JsonNode tree = MAPPER.readTree(cbor);
            if (!tree.isObject()) {
                throw new IOException("a message that is no map");
            }
            return tree;
        } catch (JacksonException e) {
            throw new IOException("a message that is not CBOR: " + e.getOriginalMessage(), e);
        }
    }
}

package wallfinder.services.echo;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/// One connection of the plain server, and the code of its virtual thread. The stack of an idle
/// virtual thread is in the heap, so this class adds few frames below the JDK's `read` and few
/// objects.
final class PlainConnection implements Runnable, Wire {
    private final SocketChannel channel;
    private final ByteBuffer buffer;
    private final Tally tally;

    PlainConnection(SocketChannel channel, int bufferSize, Tally tally) {
        this.channel = channel;
        this.buffer = ByteBuffer.allocate(bufferSize);
        this.tally = tally;
    }

    @Override
    public void run() {
        try (channel) {
            while (Protocol.exchange(this, tally) != Protocol.ENDED) {
                // Wait for the next message.
            }
        } catch (IOException unused) {
            // There was nothing left to write.
        } finally {
            tally.disconnected();
        }
    }

    @Override
    public int take() {
        try {
            return channel.read(buffer.clear());
        } catch (IOException gone) {
            return -1;
        }
    }

    /// The channel blocks, so it sends all bytes.
    @Override
    public int give(int from, int to) {
        buffer.flip();
        try {
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            return to - from;
        } catch (IOException gone) {
            return -1;
        }
    }
}

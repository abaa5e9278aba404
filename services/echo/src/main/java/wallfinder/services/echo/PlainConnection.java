package wallfinder.services.echo;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/// One connection of the plain server, and what its virtual thread runs. While it is idle, that
/// thread's stack lies in the heap, so there are few frames below the JDK's `read`, and no more
/// objects than it needs.
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
                // The next message.
            }
        } catch (IOException unused) {
            // Nothing was left to be written.
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

    /// The channel blocks, so that all of it goes.
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

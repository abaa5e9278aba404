package wallfinder.services.echo;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/// One connection of the server. While it is idle, its virtual thread's stack lies in the heap, so
/// there is one frame of ours below `read`, and no more objects than that needs.
record Connection(SocketChannel channel, int bufferSize, Tally tally) implements Runnable {
    @Override
    public void run() {
        ByteBuffer buffer = ByteBuffer.allocate(bufferSize);
        try {
            while (channel.read(buffer) >= 0) {
                answer(buffer.flip());
            }
        } catch (IOException gone) {
            // The other end may go as it likes: no other connection is concerned.
        } finally {
            end();
        }
    }

    private void answer(ByteBuffer message) throws IOException {
        int bytes = message.remaining();
        tally.received(bytes);
        while (message.hasRemaining()) {
            channel.write(message);
        }
        tally.answered(bytes);
        message.clear();
    }

    private void end() {
        tally.disconnected();
        try {
            channel.close();
        } catch (IOException unused) {
            // Nothing was left to be written.
        }
    }
}

package wallfinder.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.random.RandomGenerator;

/// A connection that regroups its output and, with some probability, spoils it: flips bits, changes
/// lengths and types, and drops, repeats, inserts or truncates parts.
final class SpoilingSocket extends Socket {
    /// After a spoilt write the other side may wait forever. This bounds the wait.
    private static final int PATIENCE_MILLIS = 50;

    private static final int PIECES_MAX = 6;

    private final Socket socket;
    private final RandomGenerator random;
    private final double chance;
    private final Runnable atFirst;
    private boolean spoilt;

    /// @param chance that a write is spoilt
    /// @param atFirst runs before the first spoilt write
    SpoilingSocket(Socket socket, RandomGenerator random, double chance, Runnable atFirst) {
        this.atFirst = atFirst;
        this.socket = socket;
        this.random = random;
        this.chance = chance;
    }

    boolean spoilt() {
        return spoilt;
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        OutputStream out = socket.getOutputStream();
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                byte[] record = java.util.Arrays.copyOfRange(bytes, from, from + length);
                if (random.nextDouble() < chance) {
                    if (!spoilt) {
                        atFirst.run();
                    }
                    spoilt = true;
                    socket.setSoTimeout(PATIENCE_MILLIS);
                    record = Spoiling.spoil(record, random);
                }
                inPieces(out, record);
            }
        };
    }

    private void inPieces(OutputStream out, byte[] bytes) throws IOException {
        int at = 0;
        for (int piece = random.nextInt(PIECES_MAX); piece > 0 && at < bytes.length; piece--) {
            int length = random.nextInt(bytes.length - at) + 1;
            out.write(bytes, at, length);
            at += length;
        }
        out.write(bytes, at, bytes.length - at);
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return socket.getInputStream();
    }

    @Override
    public boolean isConnected() {
        return socket.isConnected();
    }

    @Override
    public boolean isClosed() {
        return socket.isClosed();
    }

    @Override
    public boolean isInputShutdown() {
        return socket.isInputShutdown();
    }

    @Override
    public boolean isOutputShutdown() {
        return socket.isOutputShutdown();
    }

    @Override
    public void shutdownInput() throws IOException {
        socket.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public InetAddress getInetAddress() {
        return socket.getInetAddress();
    }

    @Override
    public int getPort() {
        return socket.getPort();
    }

    @Override
    public void setSoTimeout(int millis) throws java.net.SocketException {
        socket.setSoTimeout(millis);
    }

    @Override
    public int getSoTimeout() throws java.net.SocketException {
        return socket.getSoTimeout();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

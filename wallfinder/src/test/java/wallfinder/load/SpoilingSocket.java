package wallfinder.load;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.random.RandomGenerator;

/// A connection whose output comes in other pieces than it was written in, and with some chance in
/// another form: bits turned, lengths and types changed, parts left out, doubled, put in or cut
/// off.
final class SpoilingSocket extends Socket {
    /// Once something was spoilt the other side may wait for ever: so long is waited for it.
    private static final int PATIENCE_MILLIS = 50;

    private static final int HEAD_BYTES = 5;
    private static final int PIECES_MAX = 6;
    private static final int FLOOD_RECORDS = 300;

    private final Socket socket;
    private final RandomGenerator random;
    private final double chance;
    private final Runnable atFirst;
    private boolean spoilt;

    /// @param chance that a write is spoilt
    /// @param atFirst is run before the first that is
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
                    record = spoil(record);
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

    private byte[] spoil(byte[] record) {
        return switch (random.nextInt(10)) {
            case 0, 1 -> turned(record);
            case 2 -> set(record, 0, random.nextInt(18, 26));
            case 3 -> set(set(record, 3, random.nextInt(256)), 4, random.nextInt(256));
            case 4 -> java.util.Arrays.copyOf(record, random.nextInt(record.length + 1));
            case 5 -> joined(record, record);
            case 6 -> new byte[0];
            case 7 -> joined(garbage(random.nextInt(1, 100)), record);
            case 8 -> joined(made(random.nextInt(0, 200)), record);
            default -> joined(flood(), record);
        };
    }

    private byte[] turned(byte[] record) {
        for (int i = random.nextInt(1, 5); i > 0 && record.length > 0; i--) {
            record[random.nextInt(record.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return record;
    }

    private static byte[] set(byte[] record, int at, int value) {
        if (at < record.length) {
            record[at] = (byte) value;
        }
        return record;
    }

    private byte[] garbage(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /// A record with a good head.
    private byte[] made(int length) {
        byte[] bytes = garbage(HEAD_BYTES + length);
        bytes[0] = (byte) random.nextInt(20, 24);
        bytes[1] = 3;
        bytes[2] = 3;
        bytes[3] = (byte) (length >> 8);
        bytes[4] = (byte) length;
        return bytes;
    }

    private byte[] flood() {
        byte[] one = made(random.nextInt(0, 3));
        byte[] all = {};
        for (int i = 0; i < FLOOD_RECORDS; i++) {
            all = joined(all, one);
        }
        return all;
    }

    private static byte[] joined(byte[] first, byte[] second) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(first);
        all.writeBytes(second);
        return all.toByteArray();
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

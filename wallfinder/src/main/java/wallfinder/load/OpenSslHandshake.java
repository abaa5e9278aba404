package wallfinder.load;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import javax.net.ssl.SSLException;
import wallfinder.linux.Memory;

/// One handshake by OpenSSL over a connected socket. It takes a few milliseconds of CPU time, and
/// that of the JDK hundreds, most of them to load and to interpret its code.
final class OpenSslHandshake implements AutoCloseable {
    private static final int BUFFER_BYTES = TlsRecords.RECORD_BYTES_MAX;

    private final Socket socket;
    private final OpenSslRecords records;
    private final TlsConnection connection = new TlsConnection(0);
    private final long buffer = Memory.map(BUFFER_BYTES);
    private boolean open;

    private OpenSslHandshake(Socket socket, TlsPlan plan) {
        this.socket = socket;
        records = new OpenSslRecords(plan, 1);
    }

    /// False if it failed, for whatever reason, or if the server asked for the client's
    /// certificate: it may refuse that later.
    ///
    /// @throws IOException if the socket failed
    static boolean succeeds(Socket socket, TlsPlan plan) throws IOException {
        try (OpenSslHandshake handshake = new OpenSslHandshake(socket, plan)) {
            return handshake.run();
        } catch (SSLException _) {
            return false; // its message says less than that of the JDK
        }
    }

    private boolean run() throws IOException {
        connection.open();
        records.open(connection);
        open = true;
        InputStream in = socket.getInputStream();
        byte[] bytes = new byte[BUFFER_BYTES];
        boolean done = false;
        while (!done) {
            send();
            int length = in.read(bytes);
            if (length < 0) {
                return false;
            }
            Memory.putBytes(buffer, bytes, length);
            records.gather(connection, buffer, length);
            done = records.handshake(connection);
        }
        send();
        boolean asked = records.certificateAsked(connection);
        records.closeOutput(connection);
        write(buffer, records.writeAlerts(connection, buffer, BUFFER_BYTES));
        return !asked;
    }

    private void send() throws IOException {
        write(connection.address, connection.taken());
    }

    private void write(long address, int length) throws IOException {
        if (length > 0) {
            socket.getOutputStream().write(Memory.getBytes(address, length));
        }
    }

    @Override
    public void close() {
        if (open) {
            records.close(connection);
        }
        connection.free();
        records.free();
        Memory.unmap(buffer, BUFFER_BYTES);
    }
}

package wallfinder.sampling;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import wallfinder.linux.NewDestination;
import wallfinder.linux.SockDiag;

/// A server on the loopback address, and the sockets that a test opens.
abstract class ServedTest {
    final List<Socket> sockets = new ArrayList<>();
    SockDiag diag;
    ServerSocket server;

    @BeforeEach
    void open() throws IOException {
        diag = SockDiag.open();
        server = NewDestination.listen(diag, 20);
    }

    @AfterEach
    void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        server.close();
        diag.close();
    }
}

package wallfinder.load;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/// A complete unspoilt conversation. The server's flights can be replayed to a client with the same
/// keys: every byte fits.
///
/// @param seed of the client's keys
/// @param length of the answer
/// @param said the client's flights; each but the last is followed by the server's flight of that
///   number
record TlsTape(long seed, int length, List<byte[]> said, List<byte[]> flights) {
    private static final int ROUNDS_MAX = 10;

    static TlsTape of(
            long seed,
            int length,
            SSLContext server,
            TlsFuzzClient client,
            FixedRandom keys,
            RandomGenerator random)
            throws SSLException {
        TlsFuzzServer other = new TlsFuzzServer(server, length);
        List<byte[]> said = new ArrayList<>();
        List<byte[]> flights = new ArrayList<>();
        keys.restart(seed);
        said.add(client.open());
        while (client.receivedBytes() < length) {
            if (flights.size() == ROUNDS_MAX) {
                throw new AssertionError("no end after " + ROUNDS_MAX + " flights");
            }
            flights.add(other.flight(said.getLast()));
            said.add(client.receive(flights.getLast(), random));
        }
        client.end();
        return new TlsTape(seed, length, List.copyOf(said), List.copyOf(flights));
    }
}

package wallfinder.synthetic;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Many connections with a model server over a network that loses, duplicates, reorders and damages
/// packets: all messages come back complete, and both ends agree about every byte.
class LossyNetworkTest {
    private static final long STEP = 5 * Rig.MILLI;
    private static final int STEPS_MAX = 400_000;
    private static final int CASES = 40;

    private record Transit(long at, long order, boolean toServer, byte[] packet) {}

    /// One random case.
    private static final class Network implements AutoCloseable {
        final SplittableRandom random;
        final int connections;
        final int bytes;
        final int messages;
        final double loss;
        final Rig rig;
        final List<ModelServer> servers = new ArrayList<>();
        final PriorityQueue<Transit> transits =
                new PriorityQueue<>(
                        Comparator.comparing(Transit::at).thenComparing(Transit::order));
        long order;

        Network(long seed) {
            random = new SplittableRandom(seed);
            connections = random.nextInt(1, 20);
            bytes = random.nextBoolean() ? random.nextInt(1, 100) : random.nextInt(1, 9000);
            messages = random.nextInt(1, 6);
            loss = random.nextInt(4) == 0 ? 0 : random.nextDouble(0.2);
            rig = new Rig(connections, bytes, messages, random.nextInt(1, connections + 1));
            for (int i = 0; i < connections; i++) {
                servers.add(new ModelServer(random.split(), p -> carry(p, false)));
            }
        }

        void carry(Packet packet, boolean toServer) {
            if (random.nextDouble() < loss) {
                return;
            }
            byte[] bytes = packet.bytes();
            if (random.nextDouble() < loss / 4) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            int copies = random.nextDouble() < loss / 2 ? 2 : 1;
            for (int i = 0; i < copies; i++) {
                long delay = random.nextLong(random.nextDouble() < loss ? 50 : 3) * Rig.MILLI;
                transits.add(new Transit(rig.now + delay, order++, toServer, bytes));
            }
        }

        void step() {
            rig.pass(STEP);
            while (!transits.isEmpty() && transits.peek().at <= rig.now) {
                arrive(transits.remove());
                sendAll();
            }
            servers.forEach(server -> server.step(rig.now));
            rig.handler.resume();
            sendAll();
        }

        private void sendAll() {
            while (!rig.sent.isEmpty()) {
                carry(rig.next(), true);
            }
        }

        private void arrive(Transit transit) {
            if (!transit.toServer) {
                rig.receive(transit.packet);
                return;
            }
            Packet packet;
            try {
                packet = Packet.read(transit.packet);
            } catch (AssertionError | RuntimeException damaged) {
                return;
            }
            servers.get(slot(packet)).receive(packet, rig.now);
        }

        private static int slot(Packet packet) {
            return (packet.fromPort() - Rig.CLIENT_PORT) * 2 + packet.toPort() - Rig.SERVER_PORT;
        }

        boolean openSome() {
            for (int slot = 0; slot < connections; slot++) {
                if (rig.peers.state(slot) == Peers.UNOPENED && !rig.tcp.open(slot, rig.now)) {
                    return false;
                }
            }
            return true;
        }

        boolean allAnswered() {
            for (int slot = 0; slot < connections; slot++) {
                if (rig.peers.ending(slot) == null && rig.peers.progress(slot) < messages) {
                    return false;
                }
            }
            return true;
        }

        boolean closeSome() {
            boolean all = true;
            for (int slot = 0; slot < connections; slot++) {
                all &= !rig.peers.resting(slot) || rig.tcp.close(slot, rig.now);
            }
            return all && rig.tcp.underWay() == 0;
        }

        byte[] all(int slot) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (int number = 0; number < messages; number++) {
                all.writeBytes(rig.handler.expected(slot, number));
            }
            return all.toByteArray();
        }

        @Override
        public void close() {
            rig.close();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 1001, 2001, 3001})
    void every_message_comes_back_complete_whatever_the_network_does(long firstSeed) {
        for (long seed = firstSeed; seed < firstSeed + CASES; seed++) {
            one(seed);
        }
    }

    private static void one(long seed) {
        try (Network network = new Network(seed)) {
            talk(network);
            Rig rig = network.rig;
            rig.handler.endings.remove(Ending.TIMEOUT);
            rig.handler.endings.remove(Ending.CONNECT_TIMEOUT);
            assertThat(rig.handler.endings).isEmpty();
            for (int slot = 0; slot < network.connections; slot++) {
                byte[] all = network.all(slot);
                byte[] came = network.servers.get(slot).echoed();
                assertThat(Arrays.copyOf(all, came.length)).isEqualTo(came);
                if (rig.peers.ending(slot) == null && !network.servers.get(slot).reset) {
                    assertThat(came).hasSameSizeAs(all);
                }
            }
            assertThat(rig.tcp.underWay()).isZero();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
    }

    private static void talk(Network network) {
        int steps = 0;
        while (!network.openSome() || !network.allAnswered()) {
            network.step();
            assertThat(++steps).as("steps until all are answered").isLessThan(STEPS_MAX);
        }
        while (!network.closeSome()) {
            network.step();
            assertThat(++steps).as("steps until all are closed").isLessThan(STEPS_MAX);
        }
    }
}

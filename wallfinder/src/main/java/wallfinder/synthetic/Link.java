package wallfinder.synthetic;

import java.net.InetAddress;
import java.util.function.LongSupplier;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.Epoll;
import wallfinder.linux.Errno;
import wallfinder.linux.Memory;
import wallfinder.linux.Route;
import wallfinder.linux.SyscallException;
import wallfinder.linux.Tun;

/// The link between a kernel and its synthetic peers: a TUN device in the network namespace of the
/// thread that makes it. The device has the server's address. All other addresses of its network
/// belong to the peers. Closing this object removes the device.
///
/// The device transfers one packet per call. The call is cheap compared with what the kernel does
/// for each packet.
public final class Link implements Wire, AutoCloseable {
    /// The longest packet (the kernel's default for such a link).
    public static final int BYTES = 1500;

    private static final String NAME = "wf0";

    /// The server's host reaches its own address over it.
    private static final String LOOPBACK = "lo";

    /// Packets wait here while the thread does something else. Others are sent again.
    private static final int QUEUE_PACKETS = 32_768;

    @FunctionalInterface
    public interface Inlet {
        void receive(long packet, int length, long nowNanos);
    }

    private final Tun tun;
    private final Epoll epoll = new Epoll(1);
    private final long packet = Memory.map(BYTES);

    private Link(Tun tun) {
        this.tun = tun;
        int added = epoll.add(tun.descriptor(), Epoll.IN, 0);
        if (added < 0) {
            throw new SyscallException("epoll_ctl(EPOLL_CTL_ADD)", -added);
        }
    }

    /// Makes the link, sets it up, and gives the kernel's end its address.
    ///
    /// @param prefixLength of the network that server and peers share
    /// @throws EnvironmentException if the host prevents it
    public static Link open(InetAddress server, int prefixLength) {
        Link link = new Link(Tun.create(NAME));
        try (Route route = Route.open()) {
            route.queue(NAME, QUEUE_PACKETS);
            route.add(NAME, server, prefixLength);
            route.up(NAME);
            route.up(LOOPBACK);
            return link;
        } catch (RuntimeException e) {
            link.close();
            throw e;
        }
    }

    /// Reads the packets that have arrived, up to a bound.
    ///
    /// @return how many there were
    public int receive(Inlet inlet, int packetsMax, LongSupplier clock) {
        for (int i = 0; i < packetsMax; i++) {
            int length = tun.read(packet, BYTES);
            if (length == -Errno.EAGAIN.number()) {
                return i;
            }
            if (length > 0) {
                inlet.receive(packet, length, clock.getAsLong());
            }
        }
        return packetsMax;
    }

    /// Waits until a packet has arrived or the time has passed.
    ///
    /// @return whether a packet has arrived
    public boolean await(long nanosMax) {
        return epoll.await(nanosMax) > 0;
    }

    @Override
    public void send(long address, int length) {
        tun.write(address, length); // what the kernel does not take, TCP sends again
    }

    @Override
    public void close() {
        epoll.close();
        tun.close();
        Memory.unmap(packet, BYTES);
    }
}

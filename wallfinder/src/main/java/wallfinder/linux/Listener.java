package wallfinder.linux;

import java.net.InetAddress;

/// A listening TCP socket as the kernel reports it.
///
/// @param address where it listens; an IPv4 address mapped into IPv6 is shown as IPv4
/// @param queue established connections that wait for accept
/// @param limit the effective backlog; the queue takes one connection more than this
/// @param drops handshakes and segments that this listener has dropped so far
/// @param inode `/proc/PID/fd` shows the socket as `socket:[inode]`
/// @param uid the user who created it
public record Listener(
        InetAddress address, int port, long queue, long limit, long drops, long inode, int uid) {}

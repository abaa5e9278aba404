package wallfinder.linux;

import java.net.InetAddress;

/// A listening TCP socket as the kernel sees it.
///
/// @param address where it listens; IPv4 addresses mapped into IPv6 are told as IPv4
/// @param ipVersion 4 or 6: a socket of version 6 often takes both
/// @param queue established connections that wait for accept
/// @param limit the queue's bound in force: one more than this fits
/// @param drops handshakes and segments that this listener dropped since it was made
/// @param inode what `/proc/PID/fd` calls it: `socket:[inode]`
/// @param uid the user who made it
public record Listener(
        InetAddress address,
        int port,
        int ipVersion,
        long queue,
        long limit,
        long drops,
        long inode,
        int uid) {}

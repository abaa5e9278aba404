package wallfinder.linux;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/// A process's socket with a local port, and where it leads to.
///
/// @param inode the number of the socket
public record OpenPort(
        long inode, InetAddress source, InetSocketAddress destination, PortsInUse.Use use) {}

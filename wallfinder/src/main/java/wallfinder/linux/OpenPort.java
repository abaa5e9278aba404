package wallfinder.linux;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/// A socket with a local port, and where it leads to.
///
/// @param inode the number of the socket; 0 if no process has it any more
public record OpenPort(
        long inode, InetAddress source, InetSocketAddress destination, PortsInUse.Use use) {}

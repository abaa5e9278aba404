package wallfinder.linux;

/// A connection of stream sockets on this host, by the end that connected.
///
/// @param inode the number of that end's socket
/// @param name where the other end listens; a leading `@` means an abstract socket
public record UnixConnection(long inode, String name) {}

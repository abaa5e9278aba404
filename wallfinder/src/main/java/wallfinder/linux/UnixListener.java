package wallfinder.linux;

/// A listening unix stream socket.
///
/// @param inode `/proc/PID/fd` shows the socket as `socket:[inode]`
/// @param name its path; a leading `@` means an abstract socket
public record UnixListener(long inode, String name) {}

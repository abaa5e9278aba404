package wallfinder.services.webflux;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;

/// The kernel interface with which Netty waits for its sockets.
enum Transport {
    EPOLL,
    IO_URING,
    /// The JDK's selector, which also uses epoll, with more Java code around it.
    NIO;

    /// @throws CannotStart if this host does not support the transport
    void check() {
        Throwable why =
                switch (this) {
                    case EPOLL -> Epoll.unavailabilityCause();
                    case IO_URING -> IoUring.unavailabilityCause();
                    case NIO -> null;
                };
        if (why != null) {
            throw new CannotStart(
                    "this host has no "
                            + this
                            + " for Netty ("
                            + why.getMessage()
                            + "); --transport=nio works on every host");
        }
    }

    IoHandlerFactory handlers() {
        return switch (this) {
            case EPOLL -> EpollIoHandler.newFactory();
            case IO_URING -> IoUringIoHandler.newFactory();
            case NIO -> NioIoHandler.newFactory();
        };
    }

    /// Makes a channel of this kind: a listener or a connection.
    Channel channel(Class<? extends Channel> kind) {
        boolean listener = ServerChannel.class.isAssignableFrom(kind);
        return switch (this) {
            case EPOLL -> listener ? new EpollServerSocketChannel() : new EpollSocketChannel();
            case IO_URING ->
                    listener ? new IoUringServerSocketChannel() : new IoUringSocketChannel();
            case NIO -> listener ? new NioServerSocketChannel() : new NioSocketChannel();
        };
    }

    Class<? extends Channel> channelClass(Class<? extends Channel> kind) {
        boolean listener = ServerChannel.class.isAssignableFrom(kind);
        return switch (this) {
            case EPOLL -> listener ? EpollServerSocketChannel.class : EpollSocketChannel.class;
            case IO_URING ->
                    listener ? IoUringServerSocketChannel.class : IoUringSocketChannel.class;
            case NIO -> listener ? NioServerSocketChannel.class : NioSocketChannel.class;
        };
    }
}

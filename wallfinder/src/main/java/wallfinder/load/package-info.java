/// The load engines. One sends requests of HTTP/1.1, with or without TLS, over io_uring or epoll.
/// The other one holds connections, over epoll or as synthetic peers. Each has one platform thread,
/// or as many as its plan says.
@NullMarked
package wallfinder.load;

import org.jspecify.annotations.NullMarked;

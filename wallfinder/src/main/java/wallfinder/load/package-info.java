/// The load engine: HTTP/1.1 with one platform thread per CPU, over io_uring or epoll.
@NullMarked
package wallfinder.load;

import org.jspecify.annotations.NullMarked;

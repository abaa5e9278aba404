/// Who drives: an HTTP/1.1 load engine of one platform thread a CPU, over io_uring or epoll.
@NullMarked
package wallfinder.load;

import org.jspecify.annotations.NullMarked;

/// Synthetic peers: a TCP client in user space, for as many connections as a server can hold (RFC
/// 9293, RFC 6298). Only [wallfinder.synthetic.Link] does input and output; all other classes get
/// packets and the time passed in.
@NullMarked
package wallfinder.synthetic;

import org.jspecify.annotations.NullMarked;

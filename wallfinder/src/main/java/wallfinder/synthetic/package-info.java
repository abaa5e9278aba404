/// Peers that are no sockets: a TCP client in user space, for as many connections as a server can
/// hold (RFC 9293, RFC 6298). Pure but for [wallfinder.synthetic.Link]: packets in, packets out,
/// and the time is passed in.
@NullMarked
package wallfinder.synthetic;

import org.jspecify.annotations.NullMarked;

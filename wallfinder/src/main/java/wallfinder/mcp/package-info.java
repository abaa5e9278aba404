/// The commands as tools of the Model Context Protocol.
///
/// Only [wallfinder.mcp.Server] and [wallfinder.mcp.Conversation] know the protocol's SDK.
@NullMarked
package wallfinder.mcp;

import org.jspecify.annotations.NullMarked;

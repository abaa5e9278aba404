/// The commands as tools of the Model Context Protocol.
///
/// Only [wallfinder.mcp.Server], [wallfinder.mcp.Conversation] and [wallfinder.mcp.OneAtATime] know
/// the protocol's SDK.
@NullMarked
package wallfinder.mcp;

import org.jspecify.annotations.NullMarked;

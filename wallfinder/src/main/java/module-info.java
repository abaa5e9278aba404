/// Wallfinder: pushes a network service to where it stops and names what stopped it.
module wallfinder {
    requires info.picocli;
    requires java.management;
    requires java.net.http;
    requires java.xml;
    requires jdk.httpserver;
    requires jdk.jfr;
    requires HdrHistogram;
    requires org.jline.terminal;
    requires org.jspecify;
    requires org.snakeyaml.engine;
    requires tools.jackson.databind;
    requires tools.jackson.dataformat.cbor;

    // Only `mcp` needs these: cli.McpModules.
    requires static io.modelcontextprotocol.sdk.mcp.core;
    requires static io.modelcontextprotocol.sdk.mcp.json.jackson3;
    requires static reactor.core;

    opens wallfinder.cli to
            info.picocli;
}

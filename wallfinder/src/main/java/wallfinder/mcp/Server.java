package wallfinder.mcp;

import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpServerSession;
import io.modelcontextprotocol.spec.McpServerTransport;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.experiment.UsageException;
import wallfinder.linux.EnvironmentException;
import wallfinder.report.WallPages;

/// Serves the tools on the standard input and output until the input ends.
public final class Server {
    private static final String PAGES = "wallfinder://walls/";
    private static final String MARKDOWN = "text/markdown";

    private static final String INSTRUCTIONS =
            "Wallfinder finds the limit (the wall) at which a network service stops getting faster,"
                    + " and names it with evidence. Ask doctor before a large load; load and find"
                    + " measure, one at a time; explain has the remedies of a wall. A result with"
                    + " doubts is less certain: repeat their text.";

    private static final int INPUT_CHARS_MAX = 1 << 20;
    private static final int COMMANDS_MAX = 4;

    /// A client kills a server that does not end soon after the end of its input.
    private static final Duration PATIENCE = Duration.ofSeconds(8);

    private final Permissions allowed;
    private final Program program;
    private final Calls calls = new Calls();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Semaphore commands = new Semaphore(COMMANDS_MAX);
    private final Semaphore measuring = new Semaphore(1);

    private Server(Permissions allowed, Program program) {
        this.allowed = allowed;
        this.program = program;
    }

    /// Returns when the input has ended and nothing runs any more.
    public static void serve(Permissions allowed, Program program, String version) {
        Server server = new Server(allowed, program);
        Thread last = new Thread(server::end, "mcp-end");
        Runtime.getRuntime().addShutdownHook(last);
        server.open(version);
        try {
            server.ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        server.end();
    }

    private void end() {
        try {
            calls.close(PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void open(String version) {
        // The SDK logs by SLF4J, which would complain that nobody listens.
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        OutputStream out = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err); // only messages may be on the standard output
        JacksonMcpJsonMapper mapper = new JacksonMcpJsonMapper(JsonMapper.builder().build());
        McpServer.sync(new Stdio(mapper, out))
                .serverInfo("wallfinder", version)
                .instructions(INSTRUCTIONS)
                .capabilities(
                        McpSchema.ServerCapabilities.builder()
                                .tools(false)
                                .resources(false, false)
                                .build())
                .jsonMapper(mapper)
                .validateToolInputs(false) // Arguments does, with errors in three parts
                .jsonSchemaValidator((_, content) ->
                        JsonSchemaValidator.ValidationResponse.asValid(content.toString()))
                .tools(new Tools(allowed).all().stream().map(this::specification).toList())
                .resources(WallPages.ids().stream().map(Server::page).toList())
                .build();
    }

    /// The SDK's transport, with our session.
    private final class Stdio extends StdioServerTransportProvider {
        Stdio(JacksonMcpJsonMapper mapper, OutputStream out) {
            super(mapper, System.in, out, INPUT_CHARS_MAX);
        }

        @Override
        public void setSessionFactory(McpServerSession.Factory factory) {
            super.setSessionFactory(transport -> {
                McpServerTransport safe = new OneAtATime(transport);
                return new Conversation(factory.create(safe), safe, calls, ended::countDown);
            });
        }
    }

    private McpServerFeatures.SyncToolSpecification specification(Tool tool) {
        McpSchema.Tool described =
                McpSchema.Tool.builder(tool.name(), tool.schema())
                        .title(tool.title())
                        .description(tool.description())
                        .annotations(
                                McpSchema.ToolAnnotations.builder()
                                        .title(tool.title())
                                        .readOnlyHint(tool.changesNothing())
                                        .destructiveHint(!tool.changesNothing())
                                        .idempotentHint(true)
                                        .openWorldHint(!tool.changesNothing())
                                        .build())
                        .build();
        return McpServerFeatures.SyncToolSpecification.builder()
                .tool(described)
                .callHandler((exchange, request) -> result(answer(tool, exchange, request)))
                .build();
    }

    private static McpSchema.CallToolResult result(Answer answer) {
        return McpSchema.CallToolResult.builder()
                .addTextContent(answer.text())
                .structuredContent(answer.content())
                .isError(answer.failed())
                .build();
    }

    private Answer answer(
            Tool tool, McpSyncServerExchange exchange, McpSchema.CallToolRequest request) {
        try {
            Tool.Plan plan = tool.plan(Objects.requireNonNullElse(request.arguments(), Map.of()));
            Call call = (Call) exchange.transportContext().get(Conversation.CALL);
            return bounded(call, plan, progress(exchange, request.progressToken()));
        } catch (UsageException e) {
            return Answer.refused(e);
        } catch (EnvironmentException e) {
            return Answer.refused(e);
        } catch (IOException | UncheckedIOException e) {
            return Answer.failed(
                    "the command could not be run",
                    String.valueOf(e.getMessage()),
                    "check that the server's folder and the folder for temporary files are there");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.failed("the command was given up", "the server ends", "start it again");
        } catch (RuntimeException e) {
            return Answer.failed(
                    "a defect in Wallfinder itself", String.valueOf(e), "please report it");
        }
    }

    private Answer bounded(Call call, Tool.Plan plan, Call.Progress progress)
            throws IOException, InterruptedException {
        if (plan.measures() && !measuring.tryAcquire()) {
            return Answer.failed(
                    "nothing was measured",
                    "another load of this server runs, and two at once would disturb each other",
                    "call again when that one has ended, or cancel it");
        }
        try {
            if (!commands.tryAcquire()) {
                return Answer.failed(
                        "the command was not run",
                        COMMANDS_MAX + " others of this server run already",
                        "call again when one of them has ended");
            }
            try {
                return Answer.of(call.run(program, plan, progress), plan);
            } finally {
                commands.release();
            }
        } finally {
            if (plan.measures()) {
                measuring.release();
            }
        }
    }

    /// @param token null if the client wants no progress
    private static Call.Progress progress(McpSyncServerExchange exchange, Object token) {
        if (token == null) {
            return (_, _) -> {};
        }
        return (seconds, message) -> {
            try {
                exchange.progressNotification(
                        McpSchema.ProgressNotification.builder(token, seconds)
                                .message(message)
                                .build());
            } catch (RuntimeException e) {
                // The client is gone. The end of the input ends the call.
            }
        };
    }

    private static McpServerFeatures.SyncResourceSpecification page(String wall) {
        McpSchema.Resource resource =
                McpSchema.Resource.builder(PAGES + wall, wall)
                        .description("The wall " + wall + ": symptom, mechanism, remedies, price.")
                        .mimeType(MARKDOWN)
                        .build();
        return new McpServerFeatures.SyncResourceSpecification(
                resource,
                (_, request) ->
                        McpSchema.ReadResourceResult.builder(
                                        List.of(
                                                McpSchema.TextResourceContents.builder(
                                                                request.uri(), text(wall))
                                                        .mimeType(MARKDOWN)
                                                        .build()))
                                .build());
    }

    private static String text(String wall) {
        try {
            return WallPages.page(wall);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The built program as an MCP server, with the client of the SDK and with one of our own.
@Tag("slow")
@Timeout(180)
class McpTest extends ProgramTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration ENDS_WITHIN = Duration.ofSeconds(20);

    private final List<McpSchema.ProgressNotification> progress = new CopyOnWriteArrayList<>();

    /// The SDK's transport with our process. It keeps the id of the last call of a tool.
    private final class Transport extends StdioClientTransport {
        private volatile Object lastCall = "";

        Transport(ServerParameters parameters) {
            super(parameters, new JacksonMcpJsonMapper(JSON));
        }

        @Override
        protected ProcessBuilder getProcessBuilder() {
            return program.builder();
        }

        @Override
        public Mono<Void> sendMessage(McpSchema.JSONRPCMessage message) {
            if (message instanceof McpSchema.JSONRPCRequest request
                    && request.method().equals(McpSchema.METHOD_TOOLS_CALL)) {
                lastCall = request.id();
            }
            return super.sendMessage(message);
        }
    }

    private Transport transport(String... options) {
        String[] arguments = new String[options.length + 1];
        arguments[0] = "mcp";
        System.arraycopy(options, 0, arguments, 1, options.length);
        List<String> words = program.builder(arguments).command();
        return new Transport(
                ServerParameters.builder(words.getFirst())
                        .args(words.subList(1, words.size()))
                        .build());
    }

    private McpSyncClient client(Transport transport) {
        McpSyncClient client =
                McpClient.sync(transport)
                        .requestTimeout(Program.BOUND)
                        .initializationTimeout(Program.BOUND)
                        .progressConsumer(progress::add)
                        .build();
        client.initialize();
        return client;
    }

    private static McpSchema.CallToolResult call(
            McpSyncClient client, String tool, Map<String, Object> arguments) {
        return client.callTool(
                McpSchema.CallToolRequest.builder(tool)
                        .arguments(arguments)
                        .progressToken(tool)
                        .build());
    }

    /// The seconds of the messages about the calls of a tool.
    private List<Double> progressOf(String tool) {
        return progress.stream()
                .filter(message -> message.progressToken().equals(tool))
                .map(McpSchema.ProgressNotification::progress)
                .toList();
    }

    private static String text(McpSchema.CallToolResult result) {
        assertThat(result.content()).hasSize(1);
        String text = ((McpSchema.TextContent) result.content().getFirst()).text();
        assertThat(text).doesNotContainPattern("[\\p{Cc}&&[^\n]]");
        return text;
    }

    private static JsonNode content(McpSchema.CallToolResult result) {
        return JSON.valueToTree(result.structuredContent());
    }

    private static void assertRefused(McpSchema.CallToolResult result, String what) {
        assertThat(result.isError()).isTrue();
        assertThat(text(result))
                .startsWith("wallfinder: ")
                .contains(what)
                .containsSubsequence("\n  why: ", "\n  what to do: ");
    }

    @Test
    void the_tools_and_the_pages_are_listed_and_explain_prints_a_page() throws Exception {
        Path page = Program.ROOT.resolve("docs/walls/accept-queue.md");
        try (McpSyncClient client = client(transport())) {
            assertThat(client.listTools().tools())
                    .allSatisfy(tool ->
                            assertThat(tool.inputSchema())
                                    .containsEntry("additionalProperties", false)
                                    .containsEntry("type", "object"))
                    .extracting(McpSchema.Tool::name)
                    .containsExactlyInAnyOrder(
                            "load", "find", "watch", "doctor", "explain", "compare");
            assertThat(text(call(client, "explain", Map.of("wall", "accept-queue"))))
                    .isEqualTo(Files.readString(page));
            assertRefused(call(client, "explain", Map.of("wall", "acept-queue")), "acept-queue");
            McpSchema.Resource resource =
                    client.listResources().resources().stream()
                            .filter(one -> one.uri().equals("wallfinder://walls/accept-queue"))
                            .findAny()
                            .orElseThrow();
            assertThat(client.readResource(resource).contents())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            McpSchema.TextResourceContents.class,
                            read -> assertThat(read.text()).isEqualTo(page(page)));
        }
    }

    private static String page(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void doctor_and_load_look_at_a_service_of_this_host() throws Exception {
        try (TinyServer server = new TinyServer(0);
                McpSyncClient client = client(transport())) {
            McpSchema.CallToolResult doctor =
                    call(client, "doctor", Map.of("port", server.port(), "connections", 100));
            assertThat(doctor.isError()).as(text(doctor)).isFalse();
            assertThat(content(doctor).at("/result/limits").size()).isPositive();

            McpSchema.CallToolResult load =
                    call(client, "load", Map.of("url", server.url(), "duration", "2s"));
            assertThat(load.isError()).as(text(load)).isFalse();
            assertThat(text(load)).contains("answered in").contains("Files: ");
            JsonNode trial = content(load).at("/result/trials/0");
            assertThat(trial.at("/load/good").asLong()).isPositive();
            assertThat(trial.at("/diagnosis/verdict").asString()).isNotEmpty();
            Program.await(() -> progressOf("load").size() > 1);
            assertThat(progressOf("load")).hasSizeGreaterThan(1).isSorted();
            assertThat(program.runs()).hasSize(1);
        }
    }

    @Test
    void what_the_operator_did_not_allow_is_refused_and_not_run() throws Exception {
        Path experiment = program.experiment("");
        try (TinyServer server = new TinyServer(0);
                McpSyncClient client = client(transport("--max-duration", "5s"))) {
            assertRefused(
                    call(client, "find", Map.of("experiment", experiment.toString())), "--trust");
            assertRefused(
                    call(client, "load", Map.of("url", "http://example.com/", "rate", 1)),
                    "--allow-host example.com");
            assertRefused(call(client, "load", Map.of("url", "http://10.0.0.1/")), "private");
            assertRefused(
                    call(client, "load", Map.of("url", server.url(), "duration", "6s")),
                    "--max-duration");
            assertThat(server.answered()).isZero();
            assertThat(program.runs()).isEmpty();
        }
    }

    @Test
    void a_cancelled_load_returns_what_it_measured_and_another_one_had_to_wait() throws Exception {
        Transport transport = transport();
        try (TinyServer server = new TinyServer(0);
                McpSyncClient client = client(transport)) {
            Map<String, Object> minute = Map.of("url", server.url(), "duration", "60s");
            CompletableFuture<McpSchema.CallToolResult> running =
                    CompletableFuture.supplyAsync(() -> call(client, "load", minute));
            Program.await(() -> server.answered() > 100);
            Object id = transport.lastCall;
            assertRefused(call(client, "load", minute), "another load");
            transport
                    .sendMessage(
                            new McpSchema.JSONRPCNotification(
                                    "notifications/cancelled", Map.of("requestId", id)))
                    .block();
            McpSchema.CallToolResult result =
                    running.get(ENDS_WITHIN.toSeconds(), TimeUnit.SECONDS);
            assertThat(text(result)).contains("answered in", "Interrupted: the call was cancelled");
            assertThat(result.isError()).isFalse();
            assertThat(content(result).at("/outcome").asString()).startsWith("interrupted");
            assertThat(content(result).at("/result/trials/0/load/good").asLong()).isPositive();
        }
    }

    @Test
    void the_end_of_the_input_ends_the_server_and_its_load() throws Exception {
        try (TinyServer server = new TinyServer(0);
                Pipes pipes = new Pipes(program.builder("mcp").start())) {
            pipes.load(server.url());
            Program.await(() -> server.answered() > 100);
            pipes.in.close();
            assertThat(pipes.process.waitFor(ENDS_WITHIN)).isTrue();
            assertThat(pipes.process.exitValue()).isZero();
            assertThat(pipes.lines())
                    .isNotEmpty()
                    .allSatisfy(line ->
                            assertThat(JSON.readTree(line).path("jsonrpc").asString())
                                    .isEqualTo("2.0"));
        }
    }

    @Test
    void a_killed_server_leaves_no_load_behind() throws Exception {
        try (TinyServer server = new TinyServer(0);
                Pipes pipes = new Pipes(program.builder("mcp").start())) {
            pipes.load(server.url());
            Program.await(() -> server.answered() > 100);
            List<ProcessHandle> running = program.running("java");
            assertThat(running).hasSize(2);
            pipes.process.destroyForcibly();
            for (ProcessHandle one : running) {
                one.onExit().get(ENDS_WITHIN.toSeconds(), TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void without_the_sdk_mcp_is_an_error() throws Exception {
        Path target = Files.createDirectories(program.file("home/wallfinder/target"));
        Files.createSymbolicLink(
                target.resolve("modules"), Program.ROOT.resolve("wallfinder/target/modules"));
        program.from(program.file("home")).run("mcp").failed(3, "the SDK", target + "/mcp");
    }

    /// A client without a library.
    private record Pipes(Process process, Writer in, BufferedReader out) implements AutoCloseable {
        Pipes(Process process) {
            this(process, process.outputWriter(), process.inputReader());
        }

        /// Begins the conversation and a load of a minute.
        void load(String url) throws IOException {
            in.write(
                    """
                    {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":\
                    "2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
                    {"jsonrpc":"2.0","method":"notifications/initialized"}
                    {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"load",\
                    "arguments":{"url":"%s","duration":"60s"},"_meta":{"progressToken":7}}}
                    """
                            .formatted(url));
            in.flush();
        }

        List<String> lines() {
            return out.lines().toList();
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}

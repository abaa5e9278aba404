package wallfinder.cli;

import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import wallfinder.linux.EnvironmentException;

/// Loads this program once more, together with the SDK of the Model Context Protocol.
///
/// On the module path of all commands the SDK would make each start slower, because its modules are
/// automatic (docs/decisions/0019-mcp.md). So it is in a folder of its own, next to the folder of
/// the other modules. One layer of modules contains the SDK, and a second one above it the copy of
/// this program: an automatic module reads all modules of its layer and below, and may not read two
/// of the same name.
final class McpModules {
    private static final String SDK = "io.modelcontextprotocol.sdk.mcp.core";
    private static final String FOLDER = "mcp";

    private McpModules() {}

    /// Whether this copy of the program has the SDK.
    static boolean arePresent() {
        ModuleLayer layer = Main.class.getModule().getLayer();
        return layer == null || layer.findModule(SDK).isPresent();
    }

    /// Runs a command line in the copy that has the SDK.
    static int execute(String... arguments) {
        Module own = Main.class.getModule();
        ModuleLayer layer = own.getLayer();
        Path jar = Path.of(location(own, layer));
        Path folder = jar.resolveSibling("..").resolve(FOLDER).normalize();
        ModuleFinder sdk = ModuleFinder.of(folder);
        if (sdk.find(SDK).isEmpty()) {
            throw missing(folder);
        }
        Set<String> names =
                sdk.findAll().stream()
                        .map(module -> module.descriptor().name())
                        .collect(Collectors.toSet());
        ModuleLayer.Controller controller =
                above(
                        above(layer, sdk, names).layer(),
                        ModuleFinder.of(jar),
                        Set.of(own.getName()));
        Module copy = controller.layer().findModule(own.getName()).orElseThrow();
        controller.addOpens(copy, Main.class.getPackageName(), own);
        return execute(Class.forName(copy, Main.class.getName()), arguments);
    }

    private static URI location(Module module, ModuleLayer layer) {
        return layer.configuration()
                .findModule(module.getName())
                .flatMap(resolved -> resolved.reference().location())
                .orElseThrow();
    }

    private static ModuleLayer.Controller above(
            ModuleLayer layer, ModuleFinder finder, Set<String> roots) {
        Configuration configuration =
                layer.configuration().resolve(finder, ModuleFinder.of(), roots);
        return ModuleLayer.defineModulesWithOneLoader(
                configuration, List.of(layer), ClassLoader.getSystemClassLoader());
    }

    private static int execute(Class<?> main, String[] arguments) {
        try {
            Method execute = main.getDeclaredMethod("execute", String[].class);
            execute.setAccessible(true);
            return (int) execute.invoke(null, (Object) arguments);
        } catch (NoSuchMethodException | IllegalAccessException e) {
            throw new IllegalStateException("the copy is the same program", e);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private static EnvironmentException missing(Path folder) {
        return new EnvironmentException(
                "the MCP server cannot be started",
                "the SDK of the protocol is not in " + folder,
                "build Wallfinder again, or install a package that contains this folder");
    }
}

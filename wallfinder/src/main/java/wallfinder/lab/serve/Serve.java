package wallfinder.lab.serve;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Nearest;
import wallfinder.experiment.UsageException;
import wallfinder.linux.EnvironmentException;
import wallfinder.sandbox.Foreground;
import wallfinder.sandbox.Jvm;

/// Starts one of the services that come with Wallfinder. `bin/wallfinder` builds it first.
///
/// @param home the project's folder
public record Serve(Path home) {
    /// One line for each service.
    public List<String> list() throws IOException {
        List<ServiceModule> modules = modules();
        int width = modules.stream().mapToInt(module -> module.name().length()).max().orElse(0);
        return modules.stream()
                .map(module ->
                        ("%-" + width + "s  %s (Java %d or later)")
                                .formatted(module.name(), module.title(), module.javaMin()))
                .toList();
    }

    /// Runs a service in the foreground until it ends.
    ///
    /// @param asked the JVM: a major version or a path; null for the JVM that runs this program
    /// @param options the options of the service
    /// @return the service's exit code
    public int run(String name, @Nullable String asked, List<String> options)
            throws IOException, InterruptedException {
        ServiceModule module = module(name);
        Jvm jvm = jvm(asked, module);
        if (!Files.isRegularFile(module.jar())) {
            throw new EnvironmentException(
                    name + " is not built",
                    "there is no " + module.jar(),
                    "start it with bin/wallfinder, which builds it, or run in "
                            + home
                            + ": mvn -pl services/"
                            + name
                            + " -DskipTests package");
        }
        List<String> command = new ArrayList<>();
        command.add(jvm.home().resolve("bin/java").toString());
        command.addAll(module.arguments());
        command.addAll(options);
        return Foreground.run(command);
    }

    private List<ServiceModule> modules() throws IOException {
        List<ServiceModule> modules = ServiceModule.under(home);
        if (modules.isEmpty()) {
            throw new EnvironmentException(
                    "there are no services to start",
                    "the services are built from their sources, and packages contain none",
                    "clone the project, and run bin/wallfinder serve there");
        }
        return modules;
    }

    private ServiceModule module(String name) throws IOException {
        List<ServiceModule> modules = modules();
        List<String> names = modules.stream().map(ServiceModule::name).toList();
        return modules.stream()
                .filter(module -> module.name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new UsageException(
                                "there is no service \"" + name + "\"",
                                "the services are the folders of " + home.resolve("services"),
                                Nearest.advice(name, names)));
    }

    private static Jvm jvm(@Nullable String asked, ServiceModule module) {
        Jvm jvm = Jvms.named(asked);
        if (jvm.major() < module.javaMin()) {
            throw new UsageException(
                    module.name() + " cannot run on Java " + jvm.major(),
                    "it needs Java " + module.javaMin() + " or later",
                    "leave --jvm out, or name a newer one");
        }
        return jvm;
    }
}

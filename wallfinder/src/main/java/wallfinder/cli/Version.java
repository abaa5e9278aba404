package wallfinder.cli;

import java.lang.module.ModuleDescriptor;
import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/// What `--version` prints.
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {
            "wallfinder " + number(),
            "Java " + Runtime.version() + ", Linux " + System.getProperty("os.version")
        };
    }

    static String number() {
        // The compiler writes the version of the pom.xml into the module.
        return Optional.ofNullable(Main.class.getModule().getDescriptor())
                .flatMap(ModuleDescriptor::rawVersion)
                .orElse("unknown");
    }
}

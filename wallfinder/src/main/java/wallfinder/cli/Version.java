package wallfinder.cli;

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
        String version = Main.class.getPackage().getImplementationVersion();
        return version == null ? "0.1.0-SNAPSHOT" : version;
    }
}

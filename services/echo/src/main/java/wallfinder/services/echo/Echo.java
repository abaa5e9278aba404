package wallfinder.services.echo;

import java.util.Arrays;

/// The jar's main class: the server, unless the first argument is `client`.
public final class Echo {
    private Echo() {}

    public static void main(String[] args) throws InterruptedException {
        String program = args.length == 0 ? "" : args[0];
        switch (program) {
            case "client" -> EchoClient.main(Arrays.copyOfRange(args, 1, args.length));
            case "server" -> EchoServer.main(Arrays.copyOfRange(args, 1, args.length));
            default -> EchoServer.main(args);
        }
    }
}

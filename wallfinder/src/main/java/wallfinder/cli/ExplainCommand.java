package wallfinder.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import wallfinder.report.WallPages;

/// Prints a wall's page.
@Command(
        name = "explain",
        mixinStandardHelpOptions = true,
        description =
                "Explains a wall: symptom, mechanism, how to see it by hand, remedies and their price.")
final class ExplainCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "WALL",
            arity = "0..1",
            description = "The wall's id, such as accept-queue. Without it, explain lists all ids.")
    private String wall = "";

    @Override
    public Integer call() throws IOException {
        if (wall.isEmpty()) {
            WallPages.ids().forEach(System.out::println);
        } else {
            System.out.print(WallPages.page(wall));
        }
        return ExitCode.DONE;
    }
}

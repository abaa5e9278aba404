package wallfinder.load;

/// Prints the engine that a separate process would select.
final class SelectedEngine {
    private SelectedEngine() {}

    public static void main(String[] arguments) {
        try {
            EngineSelection selection = EngineSelection.of(EngineChoice.valueOf(arguments[0]));
            System.out.println(selection.choice().word() + ": " + selection.reason());
        } catch (wallfinder.linux.EnvironmentException e) {
            System.out.println("refused: " + e.getMessage() + "; " + e.todo());
        }
    }
}

package wallfinder.load;

/// Prints which engine a process of its own would drive with.
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

package wallfinder.junit;

/// The measurement could not be made: what failed, why, what to do.
public final class WallfinderException extends RuntimeException {
    private static final long serialVersionUID = 1;

    WallfinderException(String what, String why, String todo) {
        super("%s%n  why:        %s%n  what to do: %s".formatted(what, why, todo));
    }

    /// @param text an error of the program, which has these three parts already
    WallfinderException(String text) {
        super(text);
    }
}

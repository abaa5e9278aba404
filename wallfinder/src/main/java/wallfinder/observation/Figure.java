package wallfinder.observation;

/// A figure that each service, listener or destination has.
public sealed interface Figure
        permits ProcessFigure,
                JvmFigure,
                LogFigure,
                FailureFigure,
                ResponseFigure,
                CgroupFigure,
                ListenFigure,
                SendFigure,
                PortsFigure,
                DependencyFigure,
                LinkFigure,
                ShaperFigure,
                WaitFigure {
    /// Has a name with empty brackets, such as `process[].cpu`.
    Form form();

    /// @param subject the name between the brackets
    default Key of(String subject) {
        return new Key.Of(this, subject);
    }
}

package wallfinder.sampling;

import wallfinder.observation.Bound;

/// Knows who sets the kernel settings of an end.
public interface SettingOrigin {
    /// @param name the name as in `sysctl`
    Bound.Setter of(String name, String value);
}

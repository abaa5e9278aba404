package wallfinder.sampling;

import wallfinder.observation.Bound;

/// Who sets the kernel settings of an end.
public interface SettingOrigin {
    /// @param name as `sysctl` writes it
    /// @param value that it has now
    Bound.Setter of(String name, String value);
}

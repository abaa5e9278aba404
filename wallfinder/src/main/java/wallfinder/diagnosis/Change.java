package wallfinder.diagnosis;

import wallfinder.experiment.Setting;

/// A setting turned from one value to another.
public record Change(Setting setting, String from, String to) {}

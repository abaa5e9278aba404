package wallfinder.lab.capacity;

import java.util.function.Supplier;

/// Trials on a running service, which stays the same.
///
/// @param warm warms the service
record RunningService(Supplier<WarmPlace> warm) implements CapacityTrials {
    @Override
    public Place open(String name) {
        return warm.get();
    }

    @Override
    public boolean fresh() {
        return false;
    }
}

package wallfinder.lab.study;

import java.lang.ref.SoftReference;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import wallfinder.record.RunRecord;

/// The trials of a study, read from the disk on demand. A report reads the list several times, so a
/// trial stays in memory until the memory is needed.
final class TrialsOnDisk extends AbstractList<RunRecord.Trial> {
    private final List<StudyTrial.Slot> slots;
    private final Function<StudyTrial.Slot, RunRecord.Trial> reader;
    private final List<SoftReference<RunRecord.Trial>> kept;

    /// @param reader reads one trial
    TrialsOnDisk(List<StudyTrial.Slot> slots, Function<StudyTrial.Slot, RunRecord.Trial> reader) {
        this.slots = List.copyOf(slots);
        this.reader = reader;
        this.kept = new ArrayList<>();
        slots.forEach(slot -> kept.add(new SoftReference<>(null)));
    }

    @Override
    public int size() {
        return slots.size();
    }

    @Override
    public RunRecord.Trial get(int index) {
        RunRecord.Trial trial = kept.get(index).get();
        if (trial == null) {
            trial = reader.apply(slots.get(index));
            kept.set(index, new SoftReference<>(trial));
        }
        return trial;
    }
}

package dev.sluice.stream;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which backend's event comes next: of those that have one at hand, the one with the earliest cluster time. Within a
 * backend the order is the log's; a backend that has nothing is not waited for.
 */
final class Merge {
    private final List<BackendCursor> cursors;
    private final BackendCursor.@Nullable Fill[] refused;

    Merge(List<BackendCursor> cursors) {
        this.cursors = cursors;
        this.refused = new BackendCursor.@Nullable Fill[cursors.size()];
    }

    /** A new step: every backend may be asked again. */
    void begin() {
        Arrays.fill(refused, null);
    }

    /** The index of the cursor whose event comes next; -1 when none has one, see {@link #any}. */
    int next(long nanos) {
        int earliest = -1;
        long time = 0;
        for (int k = 0; k < cursors.size(); k++) {
            if (!has(k, nanos)) {
                continue;
            }
            long offered = cursors.get(k).offeredTime();
            if (earliest < 0 || Long.compareUnsigned(offered, time) < 0) {
                earliest = k;
                time = offered;
            }
        }
        return earliest;
    }

    private boolean has(int index, long nanos) {
        BackendCursor cursor = cursors.get(index);
        if (cursor.ready()) {
            return true;
        }
        if (refused[index] != null) {
            return false;
        }
        BackendCursor.Fill filled = cursor.fill(nanos);
        refused[index] = filled == BackendCursor.Fill.READY ? null : filled;
        return filled == BackendCursor.Fill.READY;
    }

    /** The first backend that answered so in this step. */
    @Nullable
    BackendCursor any(BackendCursor.Fill answer) {
        for (int k = 0; k < refused.length; k++) {
            if (refused[k] == answer) {
                return cursors.get(k);
            }
        }
        return null;
    }
}

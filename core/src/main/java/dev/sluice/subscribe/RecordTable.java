package dev.sluice.subscribe;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Records by id, in many small sets, so that a set that grows never keeps a writer for long. Rules for readers and
 * writers as for {@link RecordSet}.
 */
final class RecordTable {
    private final int bits;
    private final @Nullable RecordSet[] sets;
    private int size;

    /** @param bits so many bits of the hash choose the set; 0: one set */
    RecordTable(int bits) {
        this.bits = bits;
        this.sets = new @Nullable RecordSet[1 << bits];
    }

    static long spread(String id) {
        return id.hashCode() * 0x9E3779B97F4A7C15L;
    }

    private int setOf(String id) {
        return (int) (spread(id) >>> 1 >>> 63 - bits);
    }

    int sets() {
        return sets.length;
    }

    int size() {
        return size;
    }

    @Nullable
    SubscriptionRecord find(String id) {
        RecordSet set = sets[setOf(id)];
        return set == null ? null : set.find(id);
    }

    void put(SubscriptionRecord record) {
        int number = setOf(record.id());
        RecordSet set = sets[number];
        if (set == null) {
            set = new RecordSet();
            sets[number] = set;
        }
        size -= set.size();
        set.put(record);
        size += set.size();
    }

    void remove(String id) {
        int number = setOf(id);
        RecordSet set = sets[number];
        if (set != null) {
            size -= set.size();
            set.remove(id);
            size += set.size();
            if (set.size() == 0) {
                sets[number] = null;
            }
        }
    }

    void forEach(Consumer<SubscriptionRecord> each) {
        for (int set = 0; set < sets.length; set++) {
            forEachOf(set, each);
        }
    }

    void forEachOf(int number, Consumer<SubscriptionRecord> each) {
        RecordSet set = sets[number];
        if (set != null) {
            set.forEach(each);
        }
    }
}

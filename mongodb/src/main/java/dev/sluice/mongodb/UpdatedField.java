package dev.sluice.mongodb;

import java.util.Arrays;

/** Whether an update changed one top-level field, or something in it. For one thread. */
final class UpdatedField {
    private static final byte[] UPDATED = RawEvent.name("updatedFields");
    private static final byte[] REMOVED = RawEvent.name("removedFields");

    private final byte[] name;
    private final RawFields parts = new RawFields();
    private final RawFields changes = new RawFields();

    UpdatedField(byte[] name) {
        this.name = name;
    }

    boolean touches(RawEvent event) {
        if (!event.update.isPresent()) {
            return false;
        }
        parts.over(event.array, event.update.start);
        while (parts.next()) {
            if (parts.is(UPDATED) && anyName(event.array, parts.valueStart())) {
                return true;
            }
            if (parts.is(REMOVED) && anyText(event.array, parts.valueStart())) {
                return true;
            }
        }
        return false;
    }

    private boolean anyName(byte[] array, int offset) {
        changes.over(array, offset);
        while (changes.next()) {
            if (isIn(array, changes.fieldStart() + 1, changes.nameLength())) {
                return true;
            }
        }
        return false;
    }

    private boolean anyText(byte[] array, int offset) {
        changes.over(array, offset);
        while (changes.next()) {
            if (changes.type() == RawFields.STRING && isIn(array, changes.textStart(), changes.textLength())) {
                return true;
            }
        }
        return false;
    }

    /** The field itself, or a path that leads into it. */
    private boolean isIn(byte[] array, int start, int length) {
        return length >= name.length
                && Arrays.equals(array, start, start + name.length, name, 0, name.length)
                && (length == name.length || array[start + name.length] == '.');
    }
}

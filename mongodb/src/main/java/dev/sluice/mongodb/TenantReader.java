package dev.sluice.mongodb;

import dev.sluice.capture.StartPoint;
import dev.sluice.capture.TenantMemory;
import dev.sluice.capture.TenantRule;
import dev.sluice.log.EventRecordEncoder;
import dev.sluice.model.RawBson;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts the tenant on an event, by a rule. With {@link TenantRule.Field} it is read from the document, and empty when that
 * lacks it; where there is no document (a delete, an update whose document is gone), from the pre-image, else from what was
 * last seen of that document, else it stays empty. It outlives the streams it reads from: one that goes on exactly where
 * the last ended finds what was seen, any other begins with nothing. For one thread at a time.
 */
final class TenantReader {
    private static final int REMEMBERED = 1 << 16;

    private final TenantRule rule;
    private final String database;
    private final byte[][] path;
    private final TenantMemory memory;
    private final RawFields fields = new RawFields();
    private final UpdatedField update;
    private @Nullable RawBson position;
    private byte[] lastBytes = {};
    private String lastTenant = "";

    TenantReader(TenantRule rule, String database) {
        this.rule = rule;
        this.database = database;
        this.path = rule instanceof TenantRule.Field field
                ? Arrays.stream(field.path().split("\\.")).map(RawEvent::name).toArray(byte[][]::new)
                : new byte[0][];
        this.update = new UpdatedField(path.length == 0 ? new byte[0] : path[0]);
        this.memory = new TenantMemory(rule instanceof TenantRule.Field ? REMEMBERED : 1);
    }

    /** Before a stream is opened: where changes were missed, or come again, what was seen may be wrong. */
    void goOn(StartPoint from) {
        boolean directlyBehind = from instanceof StartPoint.After after
                && after.checkpoint().token().equals(position);
        if (!directlyBehind) {
            memory.forgetAll();
        }
    }

    /** Everything before this token was seen, and nothing behind it. */
    void reached(RawBson token) {
        position = token;
    }

    /** @param idStart where the raw {@code _id} lies, up to {@code idEnd} */
    void put(RawEvent event, int idStart, int idEnd, Supplier<String> idText, EventRecordEncoder into) {
        switch (rule) {
            case TenantRule.None none -> {}
            case TenantRule.Database itself -> into.tenant(database);
            case TenantRule.Constant constant -> into.tenant(constant.tenant());
            case TenantRule.IdPrefix prefix -> into.tenant(prefix.of(idText.get()));
            case TenantRule.Field field -> into.tenant(ofDocument(event, idStart, idEnd));
        }
    }

    private String ofDocument(RawEvent event, int idStart, int idEnd) {
        String collection = event.text(event.collection);
        if (!event.document.isPresent() && update.touches(event)) {
            memory.saw(collection, event.array, idStart, idEnd, "");
            return "";
        }
        RawEvent.Span holder = event.document.isPresent() ? event.document : event.before;
        if (!holder.isPresent()) {
            return memory.recall(collection, event.array, idStart, idEnd);
        }
        String tenant = find(event.array, holder.start) ? current(event.array) : "";
        memory.saw(collection, event.array, idStart, idEnd, tenant);
        return tenant;
    }

    /** These documents are gone, or others now have their ids. */
    void forget(String collection) {
        memory.forget(collection);
    }

    void forgetAll() {
        memory.forgetAll();
    }

    private boolean find(byte[] array, int offset) {
        for (int depth = 0; depth < path.length; depth++) {
            if (!step(array, offset, path[depth])) {
                return false;
            }
            boolean last = depth == path.length - 1;
            if (fields.type() != (last ? RawFields.STRING : RawFields.DOCUMENT)) {
                return false;
            }
            offset = fields.valueStart();
        }
        return true;
    }

    private boolean step(byte[] array, int offset, byte[] name) {
        fields.over(array, offset);
        while (fields.next()) {
            if (fields.is(name)) {
                return true;
            }
        }
        return false;
    }

    /** Most neighbouring events have one tenant: its text is made once. */
    private String current(byte[] array) {
        int from = fields.textStart();
        int to = from + fields.textLength();
        if (!Arrays.equals(array, from, to, lastBytes, 0, lastBytes.length)) {
            lastBytes = Arrays.copyOfRange(array, from, to);
            lastTenant = new String(lastBytes, StandardCharsets.UTF_8);
        }
        return lastTenant;
    }
}

package dev.sluice.subscribe;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Stores decided changes, then shows them. For one thread at a time: callers hold the lock of the registry. */
final class RegistryWriter {
    private static final int SHOWN_AT_ONCE = 200;

    private final SubscriptionStore store;
    private final SubscriptionTable table;
    private final ShownRegistry shown;
    private final Revisions revisions;
    private final SubscriptionCounters counters;
    /** Ids whose last write failed: the store may have it or not. */
    private final Set<String> doubtful = new HashSet<>();

    RegistryWriter(
            SubscriptionStore store,
            SubscriptionTable table,
            ShownRegistry shown,
            Revisions revisions,
            SubscriptionCounters counters) {
        this.store = store;
        this.table = table;
        this.shown = shown;
        this.revisions = revisions;
        this.counters = counters;
    }

    /** Stores and shows new and changed definitions. */
    void define(List<Admission.Change> admitted) {
        if (!admitted.isEmpty()) {
            List<IndexedChange> changes = admitted.stream()
                    .map(each -> IndexedChange.defined(each.change(), each.filter(), shown.index()))
                    .toList();
            save(admitted.stream().map(Admission.Change::later).toList());
            show(changes);
        }
    }

    /** Stores and shows records whose definitions stay as they are. */
    void rewrite(List<RegistryChange> changes) {
        List<SubscriptionRecord> records = new ArrayList<>();
        for (RegistryChange change : changes) {
            if (change.now() != null) {
                records.add(change.now());
            }
        }
        if (!records.isEmpty()) {
            save(records);
            show(changes.stream().map(IndexedChange::kept).toList());
        }
    }

    /** Removes records from the store, and no longer shows them. */
    void end(List<SubscriptionRecord> records, SubscriptionEnd why) {
        if (records.isEmpty()) {
            return;
        }
        List<IndexedChange> changes = new ArrayList<>();
        for (SubscriptionRecord record : records) {
            RegistryChange change = new RegistryChange(revisions.next(), record.id(), record, null, why);
            changes.add(IndexedChange.ended(change, record, shown.index()));
        }
        List<String> ids = records.stream().map(SubscriptionRecord::id).toList();
        write(ids, () -> store.remove(ids, revisions.last()));
        show(changes);
    }

    private void save(List<SubscriptionRecord> records) {
        write(records.stream().map(SubscriptionRecord::id).toList(), () -> store.save(records));
    }

    /** Stores a change, after what an earlier failure left open is settled: the store never has what is not shown. */
    private void write(Collection<String> ids, Runnable change) {
        if (!doubtful.isEmpty()) {
            settleDoubtful();
        }
        boolean stored = false;
        try {
            change.run();
            stored = true;
        } finally {
            if (!stored) {
                doubtful.addAll(ids);
            }
        }
    }

    private void settleDoubtful() {
        List<SubscriptionRecord> present = new ArrayList<>();
        List<String> absent = new ArrayList<>();
        for (String id : doubtful) {
            SubscriptionRecord record = shown.find(id);
            if (record == null) {
                absent.add(id);
            } else {
                present.add(record);
            }
        }
        if (!present.isEmpty()) {
            store.save(present);
        }
        if (!absent.isEmpty()) {
            store.remove(absent, revisions.last());
        }
        doubtful.clear();
    }

    /** Shows stored changes in portions, so that matching never waits long. */
    private void show(List<IndexedChange> changes) {
        for (int from = 0; from < changes.size(); from += SHOWN_AT_ONCE) {
            List<IndexedChange> some = changes.subList(from, Math.min(changes.size(), from + SHOWN_AT_ONCE));
            shown.show(some);
            some.forEach(this::list);
        }
    }

    private void list(IndexedChange each) {
        SubscriptionRecord before = each.change().before();
        SubscriptionRecord now = each.change().now();
        SubscriptionEnd end = each.change().end();
        if (now == null) {
            table.remove(each.change().id());
        } else if (each.later() == null) {
            table.replace(now);
        } else {
            table.put(now);
            (before == null ? counters.added : counters.replaced).incrementAndGet();
        }
        if (before != null && end != null) {
            counters.counter(end).incrementAndGet();
        }
    }
}

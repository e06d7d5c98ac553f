package dev.sluice.subscribe;

import dev.sluice.model.Places;
import dev.sluice.model.Subscription;
import java.util.List;

/**
 * What the registry keeps of a subscription.
 *
 * @param definition as it was registered; its {@code from} is empty, {@code start} stands for it
 * @param home where it belongs
 * @param created the revision that created this incarnation; one that is removed and comes again has another
 * @param revision of its last change
 * @param start its events lie behind these places; names every log that was known then
 * @param changes the last changes since it was created, oldest first, at most {@link #CHANGES_KEPT}
 * @param resync the revision of the last RESYNC that was asked for; 0: none
 */
public record SubscriptionRecord(
        Subscription definition,
        Home home,
        long created,
        long revision,
        Places start,
        List<Change> changes,
        long resync) {
    /** Of more than these the two eldest become one: the higher revision with the lower place. */
    public static final int CHANGES_KEPT = 4;

    /**
     * A change of definition, home or priority.
     *
     * @param since the highest position that the writing node had heard of in each log: everything committed after the
     *     change was answered lies behind it
     */
    public record Change(long revision, Places since) {}

    public SubscriptionRecord {
        changes = List.copyOf(changes);
    }

    public String id() {
        return definition.id();
    }

    /**
     * Returns the revision of the last change of definition, home or priority; {@code created}, if there was none. An ordered
     * RESYNC raises {@code revision} alone: matches that are queued stay as they are.
     */
    public long changedAt() {
        return changes.isEmpty() ? created : changes.getLast().revision();
    }

    /** Whether its definition, home or priority has changed above a revision. */
    public boolean isChangedAbove(long revisionBefore) {
        return changes.stream().anyMatch(each -> each.revision() > revisionBefore);
    }

    /** Whether this is the same incarnation as another record of the same id. */
    public boolean isSameIncarnation(SubscriptionRecord other) {
        return created == other.created;
    }
}

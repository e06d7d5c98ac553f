package dev.sluice.subscribe;

import dev.sluice.match.Matcher;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The registry as routing reads it: an index for matching, the records behind it, and the ordered changes by which a
 * partition follows it. Any thread may call.
 */
public interface RegistryView {
    /** Finds the subscriptions an event concerns. For one thread, and only within {@link #reading}. */
    Matcher matcher();

    /**
     * Runs work during which the registry does not change: index, records, {@link #revision} and {@link #changesAfter} agree.
     * The work must be short, must not wait, and must not change the registry.
     */
    <T> T reading(Supplier<T> work);

    /** The revision of the last change that index and records show. */
    long revision();

    /** Which registry this is: revisions of another one, such as a restored backup, cannot be compared. Never 0. */
    long identity();

    /** The record of a subscription; null: there is none. Cheap: asked for every match. */
    @Nullable
    SubscriptionRecord find(String id);

    /**
     * Whether what a subscription matches was not changed since this revision ({@link SubscriptionRecord#changedAt}), and it did
     * not end. A registry that several nodes share asks its store: what this node has heard of may be old.
     */
    default boolean isCurrent(String id, long changedAt) {
        SubscriptionRecord shown = find(id);
        return shown != null && shown.changedAt() == changedAt;
    }

    /**
     * The revision of the last change that is stored, never below {@link #revision}: every change that a caller of the registry
     * was answered before this call is at or below it. A registry that several nodes share asks its store, may wait for it, and
     * throws what says that the store does not answer. Not within {@link #reading}.
     */
    default long storedRevision() {
        return revision();
    }

    /**
     * Returns the changes above a revision, in order, at most so many; an empty list when there are none. Null when some of
     * them are no longer kept: then the caller looks at {@link #forEach} instead.
     */
    @Nullable
    List<RegistryChange> changesAfter(long revision, int most);

    /** Shows every record, in no order. Only within {@link #reading}. */
    void forEach(Consumer<SubscriptionRecord> each);

    /** Into how many portions {@link #forEachIn} divides the records. */
    default int portions() {
        return 1;
    }

    /**
     * Shows the records of one portion, in no order. Only within {@link #reading}. A record belongs to the same portion as
     * long as it lives, so a caller that reads portion after portion, and the changes since it began, has seen them all.
     *
     * @param portion from 0
     */
    default void forEachIn(int portion, Consumer<SubscriptionRecord> each) {
        forEach(each);
    }

    /** Shows every record of one home. Only within {@link #reading}. */
    void forEachOf(Home home, Consumer<SubscriptionRecord> each);

    /** The homes that have a subscription. */
    List<Home> homes();

    /** Has this run, from any thread, after each change that {@link #revision} shows. It must return quickly. */
    void onChange(Runnable wakeUp);
}

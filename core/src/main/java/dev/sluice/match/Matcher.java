package dev.sluice.match;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import dev.sluice.model.Subscription;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the subscriptions that an event concerns. One thread at a time; the index may change meanwhile.
 *
 * <p>A document is matched exactly. A delete, and an update whose document was gone when it was looked up, is matched on
 * the document's last state if that is known; otherwise whoever may be concerned is told: {@link MatchKind#UNKNOWN}. A
 * subscription without a tenant sees all tenants; an event without one reaches only those.
 */
public final class Matcher {
    private static final Filter EVERYTHING = new Filter.AllOf();
    /** So often does a matcher look again because a subscription was replaced meanwhile, before it holds changes off. */
    private static final int PATIENCE = 3;

    private final SubscriptionIndex index;
    private final CandidateWalk walk = new CandidateWalk(this::consider);
    private final FilterSet matched = new FilterSet();
    private final ToldSubscriptions told = new ToldSubscriptions();
    private MatchSink sink = (subscription, kind) -> {};
    private Unknowns unknowns = Unknowns.TOGETHER;
    private Pass pass = Pass.NOTHING;
    private long changes;

    /**
     * What candidates are asked.
     *
     * @param image the state they must match
     * @param other the state on the other side of the change, where transitions are to be told apart
     * @param leaving only those are meant that match the image and not the other
     */
    private record Pass(RawBson image, @Nullable RawBson other, boolean leaving) {
        private static final Pass NOTHING = new Pass(RawBson.of(new byte[] {5, 0, 0, 0, 0}), null, false);
    }

    Matcher(SubscriptionIndex index) {
        this.index = index;
    }

    /** Without the document's state before the change. */
    public void match(ChangeEvent event, MatchSink sink) {
        match(event, null, sink);
    }

    /**
     * @param before the document's state before the change, where the source keeps it
     * @param sink is told within this call; it must not change the index
     * @throws InvalidInputException when a document is not BSON; whoever was told before stays told
     */
    public void match(ChangeEvent event, @Nullable RawBson before, MatchSink sink) {
        match(event, before, Unknowns.TOGETHER, sink);
    }

    public void match(ChangeEvent event, @Nullable RawBson before, Unknowns unknowns, MatchSink sink) {
        this.sink = sink;
        this.unknowns = unknowns;
        this.changes = index.changes();
        try {
            lookUntilSettled(event, before);
        } catch (IndexOutOfBoundsException e) {
            throw new InvalidInputException("the document of event " + event.id() + " is not BSON");
        } finally {
            matched.clear();
            told.clear();
            pass = Pass.NOTHING;
        }
    }

    private void lookUntilSettled(ChangeEvent event, @Nullable RawBson before) {
        for (int looks = 1; looks <= PATIENCE; looks++) {
            long replaced = index.replaced();
            look(event, before);
            if (index.replaced() == replaced) {
                return;
            }
            told.compareIds();
        }
        index.withoutChanges(() -> look(event, before));
    }

    private void look(ChangeEvent event, @Nullable RawBson before) {
        if (event.operation().isControl()) {
            tellConcerned(event);
            return;
        }
        CollectionIndex collection = index.collection(event.collection());
        if (collection != null) {
            look(collection.scope(CollectionIndex.ANY_TENANT), event, before);
            if (!event.tenant().isEmpty()) {
                look(collection.scope(event.tenant()), event, before);
            }
        }
    }

    private void look(@Nullable Scope scope, ChangeEvent event, @Nullable RawBson before) {
        if (scope == null) {
            return;
        }
        boolean deleted = event.operation() == Operation.DELETE;
        RawBson image = deleted ? before : event.document();
        if (image == null) {
            tellCandidates(scope, event.documentId().text());
            return;
        }
        boolean changed = event.operation() == Operation.UPDATE || event.operation() == Operation.REPLACE;
        boolean transitions = changed && before != null && scope.hasTransitions();
        run(new Pass(image, transitions ? before : null, false), scope, event);
        if (transitions && before != null) {
            run(new Pass(before, image, true), scope, event);
        }
    }

    private void run(Pass next, Scope scope, ChangeEvent event) {
        pass = next;
        matched.clear();
        String documentId = event.documentId().text();
        forEachOn(scope, documentId, this::consider);
        walk.walk(scope.access(), next.image.array(), next.image.offset());
    }

    /** Evaluates a filter that the index led to. */
    private void consider(SharedFilter filter) {
        RawBson other = pass.other;
        if (pass.leaving && !filter.transitions() || matched.contains(filter) || !holds(filter, pass.image)) {
            return;
        }
        matched.add(filter);
        if (other == null || !filter.transitions()) {
            tell(filter, MatchKind.EXACT);
        } else if (!holds(filter, other)) {
            tell(filter, pass.leaving ? MatchKind.LEAVE : MatchKind.ENTER);
        } else if (!pass.leaving) {
            tell(filter, MatchKind.EXACT);
        }
    }

    private static boolean holds(SharedFilter filter, RawBson document) {
        return filter.filter().test(document.array(), RawValues.DOCUMENT, document.offset());
    }

    /** Nobody knows what the document was: exact for those who named it or want all, once per gateway and priority for others. */
    private void tellCandidates(Scope scope, String documentId) {
        forEachOn(scope, documentId, filter -> tell(filter, MatchKind.EXACT));
        tellAllOf(scope.find(EVERYTHING, null));
        tellAllOf(scope.find(EVERYTHING, SharedFilter.Narrowing.TRANSITIONS));
        for (Map.Entry<Scope.Audience, ProbeTable<Subscription>> audience : scope.filteredByAudience()) {
            String gateway = audience.getKey().gatewayId();
            Collection<String> apart = gateway.isEmpty() ? null : unknowns.apart(gateway);
            if (apart == null) {
                tellEach(audience.getValue());
            } else {
                tellOneForAll(audience.getValue(), apart);
            }
        }
    }

    private void tellEach(ProbeTable<Subscription> candidates) {
        ProbeTable.Slots slots = candidates.slots();
        for (int slot = 0; slot < slots.capacity(); slot++) {
            if (slots.at(slot) instanceof Subscription subscription) {
                tell(subscription, MatchKind.POSSIBLE);
            }
        }
    }

    private void tellOneForAll(ProbeTable<Subscription> candidates, Collection<String> apart) {
        for (String id : apart) {
            Subscription alone =
                    candidates.find(ValueHash.ofText(id), each -> each.id().equals(id));
            if (alone != null) {
                tell(alone, MatchKind.POSSIBLE);
            }
        }
        ProbeTable.Slots slots = candidates.slots();
        for (int slot = 0; slot < slots.capacity(); slot++) {
            if (slots.at(slot) instanceof Subscription subscription && !apart.contains(subscription.id())) {
                tell(subscription, MatchKind.UNKNOWN);
                return;
            }
        }
    }

    private void tellAllOf(@Nullable SharedFilter filter) {
        if (filter != null) {
            tell(filter, MatchKind.EXACT);
        }
    }

    private void tellConcerned(ChangeEvent event) {
        if (event.operation() == Operation.HEARTBEAT) {
            return;
        }
        if (event.collection().isEmpty()) {
            index.collections().forEach(collection -> tellConcerned(collection, event.tenant()));
        } else {
            CollectionIndex collection = index.collection(event.collection());
            if (collection != null) {
                tellConcerned(collection, event.tenant());
            }
        }
    }

    private void tellConcerned(CollectionIndex collection, String tenant) {
        if (tenant.isEmpty()) {
            collection.scopes().forEach(this::tellEverybody);
        } else {
            tellEverybody(collection.scope(CollectionIndex.ANY_TENANT));
            tellEverybody(collection.scope(tenant));
        }
    }

    private void tellEverybody(@Nullable Scope scope) {
        if (scope != null) {
            Bag.forEach(scope.filters(), filter -> tell((SharedFilter) filter, MatchKind.CONTROL));
        }
    }

    private interface FilterAction {
        void on(SharedFilter filter);
    }

    private static void forEachOn(Scope scope, String documentId, FilterAction action) {
        Object bag = scope.onDocument(documentId);
        if (bag != null) {
            Bag.forEach(bag, each -> {
                SharedFilter filter = (SharedFilter) each;
                if (documentId.equals(filter.documentId())) {
                    action.on(filter);
                }
            });
        }
    }

    private void tell(SharedFilter filter, MatchKind kind) {
        Object subscribers = filter.subscribers();
        if (subscribers instanceof Subscription one) {
            tell(one, kind);
        } else if (subscribers instanceof Object[] few) {
            for (Object each : few) {
                tell((Subscription) each, kind);
            }
        } else if (subscribers != null) {
            Bag.forEach(subscribers, each -> tell((Subscription) each, kind));
        }
    }

    private void tell(Subscription subscription, MatchKind kind) {
        if (!told.comparesIds() && (changes % 2 != 0 || index.changes() != changes)) {
            told.compareIds();
        }
        if (told.add(subscription)) {
            sink.matched(subscription, kind);
        }
    }
}

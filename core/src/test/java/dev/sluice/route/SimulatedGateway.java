package dev.sluice.route;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.EventType;
import dev.sluice.deliver.Passed;
import dev.sluice.model.EventId;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A gateway that does as the contract says: it drops what is not above the last number under one token, knows repeats by
 * their event id across tokens, refuses older tokens, and wants events of an earlier revision later. It may be slow, busy, away, or answer when nobody listens.
 */
final class SimulatedGateway implements Deliverer {
    enum Mode {
        WELL,
        SLOW,
        DOWN,
        /** Takes it, but the answer is lost. */
        MUTE,
        /** Neither takes it nor answers. */
        HUNG,
        /** The caller has long given up when it takes it. */
        LATE,
        /** Takes some of a batch. */
        BUSY
    }

    /**
     * What it will never take, by the number of the event: 1 says so, 2 refuses the whole batch, 3 fails on it, 4 fails on it
     * and takes the others.
     */
    ToIntFunction<Delivery> poison = delivery -> 0;

    /** Whose callback cannot handle anything now. */
    Predicate<String> isStuck = id -> false;

    /** What comes for others it takes, and forgets. */
    Predicate<String> holds = id -> true;

    /** Whether it knows a subscription without being told. */
    Predicate<String> registered = id -> true;

    /** What it was told, until it starts anew. */
    final Map<String, Subscription> adopted = new HashMap<>();

    /** In order: what it was told, and the subscriptions of the events it took. */
    final List<String> heard = new ArrayList<>();

    /** Events of subscriptions it neither registered nor was told. */
    final List<Delivery> unexplained = new ArrayList<>();

    /** For whom a delivery that stands for others stands. */
    Function<Delivery, List<String>> concerned = delivery -> List.of(delivery.subscriptionId());

    BiConsumer<Delivery, String> watcher = (delivery, outcome) -> {};
    final List<Delivery> taken = new ArrayList<>();
    final List<Delivery> firsts = new ArrayList<>();
    final Set<String> had = new HashSet<>();

    /** What was told because it came to another subscription. */
    final Set<Delivery> also = Collections.newSetFromMap(new IdentityHashMap<>());

    final Set<String> toldToResync = new HashSet<>();
    Mode mode = Mode.WELL;
    int attempts;

    /** Whatever comes, this is what it says. */
    @Nullable
    BatchOutcome answer;

    /** Thrown by every attempt, as by a class that is missing; null: none. */
    @Nullable
    Error thrown;

    /** So long may an attempt change something, under whichever token; zero: it refuses old ones. */
    Duration unfenced = Duration.ZERO;

    /** How long the owner of a partition keeps its lease without a renewal. */
    IntFunction<Duration> untilDeadline = partition -> ChronoUnit.FOREVER.getDuration();

    /** It leaves out those that a delivery which stands for many does not stand for. */
    boolean understandsExcept = true;

    int mostAtOnce;
    private final Random random;
    private final SimulatedTurns world;
    private final Map<Integer, FencingToken> tokens = new HashMap<>();
    private final Map<String, Long> last = new HashMap<>();
    private final Set<String> refused = new HashSet<>();

    /** The last one by subscription and partition. */
    private final Map<String, Long> revisions = new HashMap<>();

    private final Map<String, Set<EventId>> ids = new HashMap<>();
    private final Map<String, Set<String>> alsoTold = new HashMap<>();
    private int underWay;

    /** Is told how far partitions have got. */
    Consumer<Passed> passed = each -> {};

    /** Rules of the protocol that a Streamer has broken. */
    final List<String> violations = new ArrayList<>();

    /** Whether a subscription may be given an event again without a mark: it asked to begin in the past. */
    Predicate<String> mayRepeat = id -> false;

    /** Events of a subscription, partition and token that it wanted later. */
    private final Set<String> wantedLater = new HashSet<>();

    /** What it took, under which token first. */
    private final Map<String, FencingToken> tookUnder = new HashMap<>();

    /** Subscription, partition and token of what is not answered yet. */
    private final Set<String> unanswered = new HashSet<>();

    SimulatedGateway(Random random, SimulatedTurns world) {
        this.random = random;
        this.world = world;
    }

    static String key(String subscriptionId, EventId event, EventType type) {
        return subscriptionId + " " + event + (type == EventType.RESYNC ? " resync" : "");
    }

    @Override
    public CompletionStage<BatchOutcome> deliver(DeliveryBatch batch) {
        CompletableFuture<BatchOutcome> answer = new CompletableFuture<>();
        attempts++;
        if (thrown != null) {
            throw thrown;
        }
        underWay++;
        mostAtOnce = Math.max(mostAtOnce, underWay);
        answer.whenComplete((outcome, bug) -> underWay--);
        batch.passed().forEach(passed);
        if (!unfenced.isZero()) {
            batch.deliveries().stream()
                    .filter(each -> untilDeadline.apply(each.partition()).compareTo(unfenced) <= 0)
                    .forEach(each -> violations.add("the lease may end before this arrives: " + each));
        }
        Set<String> lines = new HashSet<>();
        batch.deliveries().stream().filter(each -> !each.representative()).forEach(each -> lines.add(line(each)));
        lines.stream()
                .filter(unanswered::contains)
                .forEach(each -> violations.add("two batches of " + each + " are under way"));
        unanswered.addAll(lines);
        CompletionStage<BatchOutcome> told = answer.thenApply(outcome -> {
            unanswered.removeAll(lines);
            return outcome;
        });
        Mode now = mode;
        BatchOutcome fixed = this.answer;
        if (fixed != null) {
            world.after(millis(5), () -> answer.complete(fixed));
            return told;
        }
        Duration timeout = Duration.ofSeconds(5);
        switch (now) {
            case WELL, BUSY -> world.after(millis(5), () -> answer.complete(take(batch, now == Mode.BUSY)));
            case SLOW -> world.after(millis(1500), () -> answer.complete(take(batch, false)));
            case DOWN ->
                // It breaks down over whatever it is given, an empty batch included.
                world.after(
                        millis(5),
                        () -> answer.complete(
                                new BatchOutcome.RetryLater("500", Optional.empty(), random.nextBoolean())));
            case MUTE -> {
                world.after(millis(5), () -> take(batch, false));
                world.after(timeout, () -> answer.complete(new BatchOutcome.RetryLater("timeout")));
            }
            case HUNG -> world.after(timeout, () -> answer.complete(new BatchOutcome.RetryLater("timeout")));
            case LATE -> {
                world.after(timeout, () -> answer.complete(new BatchOutcome.RetryLater("timeout")));
                world.after(timeout.plus(millis(3000)), () -> take(batch, false));
            }
        }
        return told;
    }

    private Duration millis(int most) {
        return Duration.ofMillis(random.nextInt(most));
    }

    private BatchOutcome take(DeliveryBatch batch, boolean busy) {
        for (Delivery delivery : batch.deliveries()) {
            FencingToken known =
                    tokens.merge(delivery.partition(), delivery.token(), (a, b) -> a.compareTo(b) >= 0 ? a : b);
            if (delivery.token().isOlderThan(known)) {
                watcher.accept(delivery, "fences");
                return new BatchOutcome.Fenced("stale token");
            }
        }
        for (Subscription told : batch.introductions().subscriptions()) {
            heard.add("told " + told.id());
            adopted.put(told.id(), told);
        }
        if (!adopted.keySet().containsAll(batch.introductions().toldBefore())) {
            return new BatchOutcome.RetryLater("who is that?");
        }
        for (Delivery delivery : batch.deliveries()) {
            int kind = isNew(delivery) ? poison.applyAsInt(delivery) : 0;
            if (kind == 2 || kind == 3) {
                watcher.accept(
                        delivery, "has the whole batch of " + batch.deliveries().size() + " fail by");
            }
            if (kind == 2) {
                return new BatchOutcome.Refused("400");
            } else if (kind == 3) {
                return new BatchOutcome.RetryLater("500", Optional.empty(), true);
            }
        }
        List<EventOutcome> outcomes = new ArrayList<>();
        Set<String> refusedFor = new HashSet<>();
        boolean all = true;
        for (Delivery delivery : batch.deliveries()) {
            boolean fresh = isNew(delivery);
            EventOutcome outcome = take(delivery, busy, refusedFor);
            if (outcome instanceof EventOutcome.RetryLater) {
                wantedLater.add(line(delivery) + " " + delivery.event().event().id());
            }
            watcher.accept(delivery, fresh ? outcome.getClass().getSimpleName() : "drops");
            all &= outcome == EventOutcome.DELIVERED;
            outcomes.add(outcome);
        }
        return all ? BatchOutcome.DELIVERED : new BatchOutcome.PerEvent(outcomes);
    }

    private EventOutcome take(Delivery delivery, boolean busy, Set<String> refusedFor) {
        List<String> told = delivery.representative() ? stoodFor(delivery) : List.of(delivery.subscriptionId());
        if (!isOfLatestRevision(delivery)) {
            refusedFor.addAll(told);
            return new EventOutcome.RetryLater("changed since");
        }
        boolean fresh = isNew(delivery);
        if (fresh && poison.applyAsInt(delivery) == 1) {
            refused.add(line(delivery) + "#" + delivery.seq());
            return new EventOutcome.Rejected("422");
        }
        if (fresh && poison.applyAsInt(delivery) == 4) {
            refusedFor.addAll(told);
            return new EventOutcome.RetryLater("it throws", true);
        }
        if (fresh
                && (told.stream().anyMatch(isStuck)
                        || told.stream().anyMatch(refusedFor::contains)
                        || busy && random.nextInt(3) == 0)) {
            refusedFor.addAll(told);
            return new EventOutcome.RetryLater("busy");
        }
        if (!delivery.representative() && !holds.test(delivery.subscriptionId())) {
            taken.add(delivery);
            return EventOutcome.NOT_HELD;
        }
        if (delivery.representative()) {
            told.forEach(id -> tellAlso(id, delivery));
        } else if (holds.test(delivery.subscriptionId())) {
            if (fresh) {
                tell(delivery);
            }
            last.merge(line(delivery), delivery.seq(), Math::max);
        }
        if (!registered.test(delivery.subscriptionId()) && !adopted.containsKey(delivery.subscriptionId())) {
            unexplained.add(delivery);
        }
        heard.add(delivery.subscriptionId());
        taken.add(delivery);
        return EventOutcome.DELIVERED;
    }

    private List<String> stoodFor(Delivery delivery) {
        return concerned.apply(delivery).stream()
                .filter(each -> !understandsExcept || !delivery.except().contains(each))
                .toList();
    }

    private void tell(Delivery delivery) {
        String id = delivery.subscriptionId();
        EventId event = delivery.event().event().id();
        FencingToken earlier =
                tookUnder.putIfAbsent(key(id, event, delivery.type()) + "/" + delivery.partition(), delivery.token());
        // What an owner before sent may arrive later than what the next one sent: then that one is the repeat.
        boolean repeated = earlier != null && !delivery.token().isOlderThan(earlier);
        // It said that it does not have the event, and then an attempt came that had been given up long before.
        boolean saidLater = wantedLater.contains(line(delivery) + " " + event);
        if (repeated && !saidLater && !delivery.redelivery() && !mayRepeat.test(id)) {
            violations.add("a repeat without a mark: " + delivery);
        }
        had.add(key(id, event, delivery.type()));
        if (delivery.type() == EventType.RESYNC) {
            toldToResync.add(id);
        }
        Set<EventId> known = ids.computeIfAbsent(id, none -> new HashSet<>());
        if (delivery.type() == EventType.RESYNC || !known.contains(event)) {
            if (wasAlsoTold(id, event) || delivery.redelivery()) {
                forget(id);
            }
            known.add(event);
            firsts.add(delivery);
        }
    }

    /** What comes again takes all with it that came behind: that is told again, too. */
    private void forget(String id) {
        ids.getOrDefault(id, new HashSet<>()).clear();
        alsoTold.remove(id);
    }

    private boolean wasAlsoTold(String id, EventId event) {
        Set<String> told = alsoTold.getOrDefault(id, Set.of());
        return Arrays.stream(Priority.values()).anyMatch(each -> told.contains(event + "/" + each));
    }

    private void tellAlso(String id, Delivery delivery) {
        EventId event = delivery.event().event().id();
        had.add(key(id, event, delivery.type()));
        Set<EventId> known = ids.computeIfAbsent(id, none -> new HashSet<>());
        boolean again = wasAlsoTold(id, event);
        if (!known.contains(event) && !again && delivery.redelivery()) {
            forget(id);
        }
        if (!known.contains(event)
                && alsoTold.computeIfAbsent(id, none -> new HashSet<>()).add(event + "/" + delivery.standsFor())) {
            if (again || delivery.redelivery()) {
                known.clear();
            }
            Delivery told = new Delivery(
                    id,
                    delivery.type(),
                    delivery.event(),
                    delivery.seq(),
                    delivery.partition(),
                    delivery.token(),
                    delivery.redelivery(),
                    delivery.progress(),
                    delivery.standsFor());
            watcher.accept(told, "tells also");
            also.add(told);
            firsts.add(told);
        }
    }

    /** Rule 3: what an earlier revision matched is not told behind a later one, which is owed it again. */
    private boolean isOfLatestRevision(Delivery delivery) {
        String id = delivery.subscriptionId();
        if (delivery.representative() || delivery.revision() == 0 || !holds.test(id)) {
            return true;
        }
        Long before = revisions.get(id + "/" + delivery.partition());
        if (before != null && delivery.revision() < before) {
            return false;
        }
        if (before != null && delivery.revision() > before) {
            forget(id);
        }
        revisions.put(id + "/" + delivery.partition(), delivery.revision());
        return true;
    }

    private boolean isNew(Delivery delivery) {
        if (delivery.representative()) {
            return true; // its number says nothing to those it stands for
        }
        // What it once refused it refuses again, when its answer was lost.
        return delivery.seq() > last.getOrDefault(line(delivery), 0L)
                || refused.contains(line(delivery) + "#" + delivery.seq());
    }

    private static String line(Delivery delivery) {
        return delivery.subscriptionId() + "/" + delivery.partition() + "/" + delivery.token();
    }

    @Override
    public Duration unfencedFor() {
        return unfenced;
    }

    @Override
    public void close() {}
}

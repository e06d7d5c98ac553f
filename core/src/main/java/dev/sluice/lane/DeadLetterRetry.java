package dev.sluice.lane;

import dev.sluice.deliver.OutgoingEvent;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import dev.sluice.run.Turns;
import dev.sluice.subscribe.Home;
import dev.sluice.subscribe.RegistryView;
import dev.sluice.subscribe.SubscriptionRecord;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends dead letters again: those of a gateway in the order they are asked for, so many a second, marked as redelivery, to
 * whoever serves the subscription then. They wait here, as ids, until that gateway's lane has room; from there on they are
 * like everything else. One is deleted when somebody has been told of it.
 */
public final class DeadLetterRetry {
    private static final Logger LOG = LoggerFactory.getLogger(DeadLetterRetry.class);
    private static final Duration NO_ROOM = Duration.ofMillis(250);

    /** What waits is small, but not nothing. */
    private static final int MOST = 100_000;

    private final DeadLetters letters;
    private final Lanes lanes;
    private final RegistryView registry;
    private final Turns turns;
    private final Duration pause;
    private final IntFunction<@Nullable Sender> partitions;
    private final Map<String, ArrayDeque<String>> byGateway = new LinkedHashMap<>();
    private final Set<String> waiting = new HashSet<>();
    private boolean running;

    /**
     * Where a letter goes.
     *
     * @param foreign its subscription, if that gateway must be told it
     */
    private record Target(
            Lane lane,
            Sender partition,
            Priority priority,
            @Nullable SubscriptionRecord subscription,
            @Nullable Subscription foreign) {}

    /**
     * @param perSecond so many letters are sent each second
     * @param partitions those that are owned here, by number
     */
    public DeadLetterRetry(
            DeadLetters letters,
            Lanes lanes,
            RegistryView registry,
            Turns turns,
            int perSecond,
            IntFunction<@Nullable Sender> partitions) {
        this.letters = letters;
        this.lanes = lanes;
        this.registry = registry;
        this.turns = turns;
        this.pause = Duration.ofSeconds(1).dividedBy(perSecond);
        this.partitions = partitions;
    }

    /** Sends letters again, in the given order and not all at once; a dry run only says which would be. */
    public RetryReport retry(List<String> ids, boolean dryRun) {
        List<String> accepted = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        for (String id : ids) {
            try {
                DeadLetter letter =
                        letters.find(id).orElseThrow(() -> new InvalidInputException("there is no such dead letter"));
                OutgoingEvent unused = RevivedEvent.of(letter);
                Target target = target(letter);
                enqueue(target.lane.gatewayId(), id, dryRun);
                accepted.add(id);
            } catch (InvalidInputException e) {
                refused.add(id + ": " + e.getMessage());
            }
        }
        return new RetryReport(accepted, refused);
    }

    private synchronized void enqueue(String gateway, String id, boolean dryRun) {
        if (waiting.contains(id)) {
            throw new InvalidInputException("it waits to be sent already");
        }
        if (waiting.size() >= MOST) {
            throw new InvalidInputException(MOST + " wait already: ask again when these are sent");
        }
        if (!dryRun) {
            waiting.add(id);
            byGateway.computeIfAbsent(gateway, none -> new ArrayDeque<>()).addLast(id);
            run();
        }
    }

    private void run() {
        if (!running) {
            running = true;
            turns.after(Duration.ZERO, this::turn);
        }
    }

    /** @throws InvalidInputException when it cannot be sent now; the message says why */
    private Target target(DeadLetter letter) {
        Sender partition = partitions.apply(letter.partition());
        if (partition == null) {
            throw new InvalidInputException("its partition is not owned here");
        }
        // Whoever it stood for is where it was refused, also when the one it was named for has left.
        if (letter.standsFor() != null) {
            return new Target(known(lanes.of(letter.gatewayId())), partition, letter.standsFor(), null, null);
        }
        SubscriptionRecord found = registry.find(letter.subscriptionId());
        if (found == null) {
            throw new InvalidInputException("its subscription has ended");
        }
        Subscription subscription = found.definition();
        if (found.home() instanceof Home.Broadcast) {
            return new Target(known(lanes.of(letter.gatewayId())), partition, Priority.LOW, found, null);
        }
        Lane serving = known(lanes.serving(GroupKey.of(found, "")));
        Subscription foreign = lanes.router().foreign(subscription, serving.gatewayId());
        return new Target(serving, partition, subscription.priority(), found, foreign);
    }

    private static Lane known(@Nullable Lane lane) {
        if (lane == null) {
            throw new InvalidInputException("its gateway is not known");
        }
        return lane;
    }

    /** Sends one of the first gateway that has room; that one comes last next time. */
    private void turn() {
        boolean sent = false;
        try {
            for (String gateway : gateways()) {
                Lane lane = lanes.of(gateway);
                if (!sent && (lane == null || lane.hasRoomForLetter())) {
                    sent = send(gateway, take(gateway));
                }
            }
        } finally {
            goOn(sent ? pause : NO_ROOM);
        }
    }

    private synchronized List<String> gateways() {
        return List.copyOf(byGateway.keySet());
    }

    private synchronized @Nullable String take(String gateway) {
        ArrayDeque<String> line = byGateway.remove(gateway);
        String id = line == null ? null : line.poll();
        if (line != null && !line.isEmpty()) {
            byGateway.put(gateway, line);
        }
        waiting.remove(id);
        return id;
    }

    private synchronized void goOn(Duration after) {
        running = !byGateway.isEmpty();
        if (running) {
            turns.after(after, this::turn);
        }
    }

    /** Loads it only now. Returns whether it is on its way. */
    private boolean send(String gateway, @Nullable String id) {
        DeadLetter letter = id == null ? null : letters.find(id).orElse(null);
        if (letter == null) {
            return false;
        }
        try {
            OutgoingEvent event = RevivedEvent.of(letter);
            Target target = target(letter);
            if (!target.lane.gatewayId().equals(gateway)) {
                // Its subscription has moved meanwhile: there may be no room where it is now.
                enqueue(target.lane.gatewayId(), letter.id(), false);
                return false;
            }
            target.lane.add(List.of(owed(letter, event, target)));
            target.lane.pump();
            return true;
        } catch (InvalidInputException notNow) {
            LOG.atWarn()
                    .addKeyValue("letter", letter.id())
                    .addKeyValue("reason", notNow.getMessage())
                    .log("a dead letter is not sent again after all: it stays");
            return false;
        }
    }

    private PendingDelivery owed(DeadLetter letter, OutgoingEvent event, Target target) {
        boolean representative = letter.standsFor() != null;
        Flow flow = target.partition.flow(letter.subscriptionId(), target.lane);
        PendingDelivery delivery = new PendingDelivery(
                        target.partition,
                        null,
                        representative ? flow.apart() : flow,
                        target.priority,
                        new PendingDelivery.Content(letter.type(), event, true, representative),
                        letter.id(),
                        turns.nanos())
                .introducing(target.foreign);
        return target.subscription == null ? delivery : delivery.of(target.subscription);
    }
}

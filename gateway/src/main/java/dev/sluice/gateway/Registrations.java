package dev.sluice.gateway;

import dev.sluice.grpc.streamer.v1.RegisterReply;
import dev.sluice.grpc.streamer.v1.RenewReply;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the Streamer's view of this gateway's subscriptions true: renews them, and registers again what it lost, from
 * the last marker it gave, so that nothing is missed meanwhile; where that is too old, the subscription is told to resync.
 */
final class Registrations {
    private static final Logger LOG = LoggerFactory.getLogger(Registrations.class);
    private static final int AT_ONCE = 1000;
    /** Of one registration: a quarter of what a Streamer reads at most. */
    private static final int MOST_CHARACTERS = 512 << 10;

    private static final int AROUND = 256;

    private final HeldSubscriptions subscriptions;
    private final StreamerLink link;
    private final Clock clock;
    private final Set<HeldSubscription> toResync = ConcurrentHashMap.newKeySet();

    Registrations(HeldSubscriptions subscriptions, StreamerLink link, Clock clock) {
        this.subscriptions = subscriptions;
        this.link = link;
        this.clock = clock;
    }

    /** Extends their lives, learns how far the Streamer got, and registers again what it does not know. */
    void renew() {
        for (List<HeldSubscription> some : chunks(registered())) {
            RenewReply reply =
                    link.renew(some.stream().map(HeldSubscription::id).toList());
            Set<String> unknown = new HashSet<>(reply.getUnknownList());
            Optional<ProgressMarker> marker = marker(reply.getProgress());
            List<HeldSubscription> lost = new ArrayList<>();
            for (HeldSubscription held : some) {
                if (unknown.contains(held.id())) {
                    lost.add(held);
                } else {
                    marker.ifPresent(held::reachedAtLeast);
                }
            }
            again(lost);
        }
        toResync.removeIf(held -> held.tellResync(clock.millis()));
    }

    /** Registers all of them, as the Streamer knows none any more. */
    void againAll() {
        again(registered());
    }

    /** Those whose registration was answered: a marker the Streamer gives from now on covers them. */
    private List<HeldSubscription> registered() {
        return subscriptions.all().stream()
                .filter(HeldSubscription::isRegistered)
                .toList();
    }

    private static List<List<HeldSubscription>> chunks(List<HeldSubscription> all) {
        List<List<HeldSubscription>> chunks = new ArrayList<>();
        for (int k = 0; k < all.size(); k += AT_ONCE) {
            chunks.add(all.subList(k, Math.min(all.size(), k + AT_ONCE)));
        }
        return chunks;
    }

    private void again(List<HeldSubscription> lost) {
        if (!lost.isEmpty()) {
            LOG.info("Registering {} subscriptions again, which the Streamer does not know", lost.size());
        }
        List<HeldSubscription> some = new ArrayList<>();
        int characters = 0;
        for (HeldSubscription held : lost) {
            some.add(held);
            characters += AROUND
                    + held.subscription().filter().length()
                    + held.progress().length();
            if (characters > MOST_CHARACTERS) {
                register(some);
                some = new ArrayList<>();
                characters = 0;
            }
        }
        register(some);
    }

    private void register(List<HeldSubscription> lost) {
        if (lost.isEmpty()) {
            return;
        }
        try {
            List<HeldSubscription> fromNow =
                    lost.stream().filter(held -> held.progress().isEmpty()).toList();
            RegisterReply reply = link.register(
                    lost.stream().map(held -> from(held, held.progress())).toList());
            reply.getRefusalsList()
                    .forEach(refusal -> LOG.warn(
                            "The Streamer does not take subscription {} again: {}",
                            refusal.getId(),
                            refusal.getReason()));
            removeWhatEndedMeanwhile(lost);
            // Nobody knows what those missed for which the Streamer never had a marker.
            toResync.addAll(fromNow);
        } catch (MissedEventsException | InvalidInputException someone) {
            if (lost.size() > 1) {
                lost.forEach(held -> register(List.of(held)));
            } else {
                resync(lost.getFirst(), someone);
            }
        }
    }

    /** Somebody may have unsubscribed while it was being registered again. */
    private void removeWhatEndedMeanwhile(List<HeldSubscription> registered) {
        List<String> ended = registered.stream()
                .map(HeldSubscription::id)
                .filter(id -> subscriptions.find(id) == null)
                .toList();
        if (!ended.isEmpty()) {
            link.remove(ended);
        }
    }

    private void resync(HeldSubscription held, RuntimeException why) {
        LOG.warn("Subscription {} missed changes and is told to resync: {}", held.id(), why.getMessage());
        RegisterReply reply = link.register(List.of(from(held, "")));
        held.reached(reply.getProgress());
        toResync.add(held);
    }

    private static Subscription from(HeldSubscription held, String marker) {
        return held.subscription().startingAt(marker(marker));
    }

    private static Optional<ProgressMarker> marker(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(ProgressMarker.decode(text));
    }
}

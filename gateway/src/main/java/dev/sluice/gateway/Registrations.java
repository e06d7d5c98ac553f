package dev.sluice.gateway;

import dev.sluice.gateway.HeldSubscription.Standing;
import dev.sluice.grpc.streamer.v1.Refusal;
import dev.sluice.grpc.streamer.v1.RegisterReply;
import dev.sluice.grpc.streamer.v1.RenewReply;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the Streamer's view of this gateway's subscriptions true: renews them, and registers again what it lost, from
 * the last marker it gave, so that nothing is missed meanwhile; where that is too old, the subscription is told to resync.
 * What the Streamer refuses stops nobody else, and is asked for again each time.
 */
final class Registrations {
    private static final Logger LOG = LoggerFactory.getLogger(Registrations.class);
    private static final int AT_ONCE = 1000;
    /** Of one registration: a quarter of what a Streamer reads at most. */
    private static final int MOST_CHARACTERS = 512 << 10;

    private static final int AROUND = 256;

    private final HeldSubscriptions subscriptions;
    private final Adopted adopted;
    private final StreamerLink link;
    private final Clock clock;
    private final PassedPartitions passed;
    private final int atOnce;
    private final Set<HeldSubscription> toResync = ConcurrentHashMap.newKeySet();
    private volatile boolean allLost;
    private volatile String problem = "";

    Registrations(
            HeldSubscriptions subscriptions, Adopted adopted, StreamerLink link, Clock clock, PassedPartitions passed) {
        this(subscriptions, adopted, link, clock, passed, AT_ONCE);
    }

    Registrations(
            HeldSubscriptions subscriptions,
            Adopted adopted,
            StreamerLink link,
            Clock clock,
            PassedPartitions passed,
            int atOnce) {
        this.passed = passed;
        this.subscriptions = subscriptions;
        this.adopted = adopted;
        this.link = link;
        this.clock = clock;
        this.atOnce = atOnce;
    }

    /** The Streamer had forgotten this gateway, and so its subscriptions: the next step registers all of them. */
    void allAreLost() {
        subscriptions.all().forEach(HeldSubscription::isLost);
        passed.forget();
        subscriptions.all().forEach(HeldSubscription::forgetRevisions);
        adopted.forgetRevisions();
        allLost = true;
    }

    /** Renews all of them. Returns false when the Streamer did not answer: the rest is to be done soon. */
    boolean step() {
        try {
            if (allLost) {
                again(registered());
                allLost = false;
            }
            renew();
            problem = "";
            return true;
        } catch (StreamerUnavailableException away) {
            String reason = String.valueOf(away.getMessage());
            if (problem.isEmpty()) {
                LOG.warn("Subscriptions are not renewed, trying again: {}", reason);
            }
            problem = reason;
            return false;
        }
    }

    /** Why the last renewal failed; empty when it did not. */
    String problem() {
        return problem;
    }

    /** Extends their lives, learns how far the Streamer got, and registers again what it does not know. */
    void renew() {
        List<HeldSubscription> lost = new ArrayList<>();
        chunks(registered()).forEach(some -> lost.addAll(renew(some)));
        again(lost);
        tellResyncs();
        in(Standing.UNANSWERED).forEach(this::ask);
        chunks(adopted.toRenew()).forEach(this::renewAdopted);
        List<String> ending = subscriptions.ending();
        for (int k = 0; k < ending.size(); k += atOnce) {
            remove(ending.subList(k, Math.min(ending.size(), k + atOnce)));
        }
    }

    /** Their own gateways are away. What the Streamer does not know has ended: whoever registered it may want that. */
    private void renewAdopted(List<HeldSubscription> some) {
        adopted.ended(
                link.renew(some.stream().map(HeldSubscription::id).toList()).getUnknownList());
    }

    /** Ends them at the Streamer: until it has answered, what comes of them is acknowledged and dropped. */
    void remove(List<String> ids) {
        link.remove(ids);
        subscriptions.hasEnded(ids);
    }

    /** Those whose registration was answered: a marker the Streamer gives from now on covers them. */
    private List<HeldSubscription> registered() {
        List<HeldSubscription> registered = new ArrayList<>(in(Standing.REGISTERED));
        registered.addAll(in(Standing.REFUSED));
        return registered;
    }

    private List<HeldSubscription> in(Standing standing) {
        return subscriptions.all().stream()
                .filter(held -> held.standing() == standing)
                .toList();
    }

    private List<List<HeldSubscription>> chunks(List<HeldSubscription> all) {
        List<List<HeldSubscription>> chunks = new ArrayList<>();
        for (int k = 0; k < all.size(); k += atOnce) {
            chunks.add(all.subList(k, Math.min(all.size(), k + atOnce)));
        }
        return chunks;
    }

    /** Returns those that the Streamer does not know. */
    private List<HeldSubscription> renew(List<HeldSubscription> some) {
        long generation = passed.generation();
        List<Reached> asked = some.stream().map(HeldSubscription::base).toList();
        RenewReply reply = link.renew(some.stream().map(HeldSubscription::id).toList());
        Set<String> unknown = new HashSet<>(reply.getUnknownList());
        Reached reached = Reached.at(reply.getProgress());
        List<HeldSubscription> lost = new ArrayList<>();
        for (int k = 0; k < some.size(); k++) {
            HeldSubscription held = some.get(k);
            if (unknown.contains(held.id())) {
                held.isLost();
                lost.add(held);
            } else {
                held.renewed(reached, asked.get(k), generation);
            }
        }
        return lost;
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

    private void register(List<HeldSubscription> some) {
        List<HeldSubscription> lost =
                some.stream().filter(subscriptions::isHeld).toList();
        if (lost.isEmpty()) {
            return;
        }
        try {
            Set<HeldSubscription> fromNow =
                    lost.stream().filter(held -> held.progress().isEmpty()).collect(Collectors.toSet());
            long generation = passed.generation();
            RegisterReply reply = link.register(
                    lost.stream().map(held -> from(held, held.progress())).toList());
            Map<String, String> refusals = reply.getRefusalsList().stream()
                    .collect(Collectors.toMap(Refusal::getId, Refusal::getReason, (one, other) -> one));
            for (HeldSubscription held : lost) {
                String refusal = refusals.get(held.id());
                if (refusal != null) {
                    refused(held, refusal);
                } else {
                    held.registeredAgain(reply.getRevision(), generation);
                    held.stands(Standing.REGISTERED);
                    settle(held);
                }
            }
            // Nobody knows what those missed for which the Streamer never had a marker.
            fromNow.stream().filter(held -> !refusals.containsKey(held.id())).forEach(toResync::add);
        } catch (MissedEventsException | InvalidInputException | QuotaExceededException someone) {
            if (lost.size() > 1) {
                lost.forEach(held -> register(List.of(held)));
            } else if (someone instanceof QuotaExceededException) {
                refused(lost.getFirst(), String.valueOf(someone.getMessage()));
            } else {
                resync(lost.getFirst(), someone);
            }
        }
    }

    /** Its registration was not answered: the Streamer may have it or not, and has it in any case afterwards. */
    private void ask(HeldSubscription held) {
        held.stands(Standing.ASKED);
        try {
            long generation = passed.generation();
            RegisterReply reply = link.register(List.of(held.subscription()));
            if (reply.getRefusalsCount() > 0) {
                ends(held, reply.getRefusals(0).getReason());
            } else {
                held.answered(reply.getProgress(), reply.getRevision(), generation);
                settle(held);
            }
        } catch (MissedEventsException tooOld) {
            resync(held, tooOld);
        } catch (InvalidInputException refused) {
            ends(held, String.valueOf(refused.getMessage()));
        } catch (QuotaExceededException full) {
            held.stands(Standing.UNANSWERED);
            LOG.debug("The Streamer has no room for subscription {} yet", held.id(), full);
        } catch (RuntimeException unknown) {
            held.stands(Standing.UNANSWERED);
            throw unknown;
        }
    }

    private void ends(HeldSubscription held, String reason) {
        LOG.warn("Subscription {} ends, because the Streamer does not take it: {}", held.id(), reason);
        subscriptions.change(held.id(), now -> now == held ? null : now);
    }

    private static void refused(HeldSubscription held, String reason) {
        if (held.standing() != Standing.REFUSED) {
            LOG.warn(
                    "The Streamer does not take subscription {} again, it is asked until it does: {}",
                    held.id(),
                    reason);
        }
        held.isLost();
        held.stands(Standing.REFUSED);
    }

    /** Somebody may have ended or changed it while it was being registered. */
    private void settle(HeldSubscription registered) {
        HeldSubscription now = subscriptions.find(registered.id());
        if (now == null) {
            link.remove(List.of(registered.id()));
        } else if (now != registered) {
            now.stands(Standing.UNANSWERED);
        }
    }

    private void resync(HeldSubscription held, RuntimeException why) {
        try {
            long generation = passed.generation();
            RegisterReply reply = link.register(List.of(from(held, "")));
            if (reply.getRefusalsCount() > 0) {
                refused(held, reply.getRefusals(0).getReason());
                return;
            }
            LOG.warn("Subscription {} missed changes and is told to resync: {}", held.id(), why.getMessage());
            held.stands(Standing.REGISTERED);
            held.beginsAgainAt(Reached.at(reply.getProgress()));
            held.registeredAgain(reply.getRevision(), generation);
            settle(held);
            toResync.add(held);
        } catch (MissedEventsException | InvalidInputException | QuotaExceededException no) {
            refused(held, String.valueOf(no.getMessage()));
        }
    }

    /** Each in a thread of its own: to read everything again takes long, and the Streamer waits for heartbeats. */
    private void tellResyncs() {
        for (HeldSubscription held : List.copyOf(toResync)) {
            toResync.remove(held);
            Thread.ofVirtual().name("gateway-resync").start(() -> {
                if (!held.tellResync(clock.millis())) {
                    toResync.add(held);
                }
            });
        }
    }

    private static Subscription from(HeldSubscription held, String marker) {
        return held.subscription().startingAt(marker(marker));
    }

    private static Optional<ProgressMarker> marker(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(ProgressMarker.decode(text));
    }
}

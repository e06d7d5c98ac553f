package dev.sluice.route;

import dev.sluice.lane.RoutingMode;
import dev.sluice.model.Operation;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.SubscriptionEnd;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** What happens to a {@link StreamerWorld}, between the steps of its Streamer and inside them. */
final class WorldHappenings {
    private final StreamerWorld world;
    private final Interruptions interruptions;
    private final Random random;

    WorldHappenings(StreamerWorld world, Interruptions interruptions) {
        this.world = world;
        this.interruptions = interruptions;
        this.random = world.random;
    }

    void next() {
        int dice = random.nextInt(100);
        if (dice < 50) {
            for (int k = random.nextInt(8); k >= 0; k--) {
                world.feed.change(
                        "c" + random.nextInt(2), random.nextInt(6), random.nextInt(WorldSubscriptions.GROUPS));
            }
        } else if (dice < 60) {
            world.subscriptions.change();
        } else if (dice < 72) {
            world.gateway("g" + random.nextInt(3)).mode =
                    SimulatedGateway.Mode.values()[random.nextInt(SimulatedGateway.Mode.values().length)];
        } else if (dice < 82) {
            world.gateways.values().forEach(each -> each.mode = SimulatedGateway.Mode.WELL);
            // It started anew, and nobody noticed.
            world.gateway("g0").adopted.clear();
        } else if (dice < 86) {
            comeAndGo("g" + random.nextInt(3));
        } else if (dice < 87) {
            world.crash(Occurrences.Kind.CRASHED_BETWEEN_STEPS);
        } else if (dice < 88) {
            world.loseAClaim();
        } else if (dice < 92) {
            world.claims.get(random.nextInt(StreamerWorld.PARTITIONS)).persist();
        } else if (dice < 94) {
            world.feed.evict("db0", 10 + random.nextInt(60));
        } else if (dice < 95) {
            world.letters.failing = random.nextInt(3);
        } else if (dice < 96) {
            world.feed.append("db0", Operation.RESYNC, "", "", 0, false);
        } else if (dice < 98) {
            disturbFollowers();
        } else if (dice < 99) {
            wantLaterForEver();
        } else {
            world.turns.run(Duration.ofSeconds(random.nextInt(8)));
        }
        if (random.nextInt(3) == 0) {
            interrupt();
        }
        if (random.nextInt(20) == 0) {
            renewOrNot(world.claims.get(random.nextInt(StreamerWorld.PARTITIONS)));
        }
    }

    private void renewOrNot(SimulatedClaim claim) {
        boolean ends = !claim.untilDeadline.isZero();
        claim.untilDeadline = ends ? Duration.ZERO : ChronoUnit.FOREVER.getDuration();
        boolean matters = world.gateways.values().stream().anyMatch(each -> !each.unfenced.isZero());
        world.note((ends ? "lease about to end: " : "lease renewed: ") + claim.token());
        world.happened(ends && matters ? Occurrences.Kind.LEASE_ABOUT_TO_END : null);
    }

    /** Something is to happen inside the next step of a kind, unless another one is chosen before. */
    private void interrupt() {
        Interruptions.Step[] steps = Interruptions.Step.values();
        Interruptions.Step step =
                random.nextBoolean() ? Interruptions.Step.CATCH_UP : steps[random.nextInt(steps.length)];
        boolean crashes = random.nextInt(step == Interruptions.Step.CATCH_UP ? 6 : 3) == 0;
        boolean comesOrGoes = random.nextInt(4) == 0;
        interruptions.arm(step, random.nextInt(4), at -> {
            if (crashes) {
                world.crash(crashIn(at));
            } else if (comesOrGoes) {
                comeAndGo("g" + random.nextInt(world.gateways.size()));
                world.happened(Occurrences.Kind.GATEWAY_CAME_OR_WENT_IN_A_STEP);
            } else {
                WorldSubscriptions.Change change = world.subscriptions.change();
                world.happened(at == Interruptions.Step.CATCH_UP ? inCatchUp(change) : null);
            }
        });
    }

    private static Occurrences.Kind crashIn(Interruptions.Step step) {
        return switch (step) {
            case TAIL -> Occurrences.Kind.CRASHED_IN_TAIL;
            case CATCH_UP -> Occurrences.Kind.CRASHED_IN_CATCH_UP;
            case SETTLING -> Occurrences.Kind.CRASHED_IN_SETTLING;
            case OPENING -> Occurrences.Kind.CRASHED_IN_OPENING;
            case SAVING -> Occurrences.Kind.CRASHED_IN_SAVING;
            case SENDING -> Occurrences.Kind.CRASHED_IN_SENDING;
            case BEFORE_ANSWER -> Occurrences.Kind.CRASHED_BEFORE_ANSWER;
        };
    }

    private static Occurrences.@Nullable Kind inCatchUp(WorldSubscriptions.@Nullable Change change) {
        if (change == null) {
            return null;
        }
        return switch (change) {
            case NEW, BEGINS_AGAIN -> Occurrences.Kind.REGISTERED_IN_CATCH_UP;
            case FILTER -> Occurrences.Kind.FILTER_CHANGED_IN_CATCH_UP;
            case GATEWAY -> Occurrences.Kind.GATEWAY_CHANGED_IN_CATCH_UP;
            case PRIORITY -> Occurrences.Kind.PRIORITY_CHANGED_IN_CATCH_UP;
            case END -> Occurrences.Kind.ENDED_IN_CATCH_UP;
        };
    }

    /** One subscription's callback cannot handle anything, until the end. */
    private void wantLaterForEver() {
        List<String> ids = List.copyOf(world.subscriptions.wanted.keySet());
        if (!ids.isEmpty()) {
            String one = ids.get(random.nextInt(ids.size()));
            world.note("wants later for ever: " + one);
            world.gateways.values().forEach(each -> each.isStuck = one::equals);
            world.happened(Occurrences.Kind.WANTED_LATER_FOR_EVER);
        }
    }

    /** Another Puller, a registry whose changes come late, or a watch that was lost. */
    private void disturbFollowers() {
        switch (random.nextInt(3)) {
            case 0 -> {
                world.note("another Puller");
                world.happened(Occurrences.Kind.PULLER_CHANGED);
                world.feed.changePuller();
            }
            case 1 -> {
                world.note("the registry's watch is late");
                world.happened(Occurrences.Kind.WATCH_LATE);
                world.registry.late = true;
                world.turns.after(Duration.ofMillis(random.nextInt(5000)), world.registry::show);
            }
            default -> {
                world.note("the registry's watch is lost");
                world.happened(Occurrences.Kind.WATCH_LOST);
                world.registry.forgetChanges();
            }
        }
    }

    void comeAndGo(String id) {
        world.note(id + " comes or goes");
        if (world.up.remove(id)) {
            world.streamer.away(id);
        } else if (world.known.contains(id) && random.nextInt(4) > 0) {
            world.up.add(id);
            world.streamer.up(world.address(id));
        } else if (world.known.remove(id)) {
            world.happened(
                    world.settings.mode() == RoutingMode.BROADCAST ? Occurrences.Kind.BROADCAST_GATEWAY_LEFT : null);
            for (Subscription each : world.registry.ofGateway(id)) {
                if (!each.failover()) {
                    world.subscriptions.end(each.id(), SubscriptionEnd.GATEWAY_GONE);
                }
            }
            world.registry.gateway(id, false);
            world.streamer.gone(id);
        } else {
            world.happened(
                    world.settings.mode() == RoutingMode.BROADCAST ? Occurrences.Kind.BROADCAST_GATEWAY_JOINED : null);
            world.known.add(id);
            world.up.add(id);
            world.registry.gateway(id, true);
            world.streamer.up(world.address(id));
        }
    }
}

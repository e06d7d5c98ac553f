package dev.sluice.route;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** How often each kind of thing happened, over one schedule or many. */
final class Occurrences {
    enum Kind {
        REGISTERED_IN_CATCH_UP,
        FILTER_CHANGED_IN_CATCH_UP,
        GATEWAY_CHANGED_IN_CATCH_UP,
        PRIORITY_CHANGED_IN_CATCH_UP,
        ENDED_IN_CATCH_UP,
        BROADCAST_GATEWAY_JOINED,
        BROADCAST_GATEWAY_LEFT,
        BEGAN_IN_THE_PAST_BESIDE_NEIGHBOURS,
        EVENTS_OF_ONE_CLUSTER_TIME,
        WANTED_LATER_FOR_EVER,
        PLACED_APART,
        CRASHED_BETWEEN_STEPS,
        CRASHED_IN_TAIL,
        CRASHED_IN_CATCH_UP,
        CRASHED_IN_SETTLING,
        CRASHED_IN_OPENING,
        CRASHED_IN_SAVING,
        CRASHED_IN_SENDING,
        CRASHED_BEFORE_ANSWER,
        CLAIM_LOST,
        LEASE_ABOUT_TO_END,
        GATEWAY_CAME_OR_WENT_IN_A_STEP,
        PULLER_CHANGED,
        WATCH_LATE,
        MOVED_WHILE_WATCH_LATE,
        WATCH_LOST,
        SCANNED_AFTER_LOST_WATCH,
        CHANGED_SEVERAL_TIMES_BEFORE_SAVE,
        SAVED_POSITION_DID_NOT_FIT,
        SAVED_REVISION_LOWERED,
        DELETE_TOLD_FOR_MANY,
        BEHIND_RETENTION
    }

    private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);

    void add(Kind kind) {
        counts.merge(kind, 1L, Long::sum);
    }

    void addAll(Occurrences others) {
        others.counts.forEach((kind, count) -> counts.merge(kind, count, Long::sum));
    }

    /** The kinds that never happened. */
    List<Kind> missing() {
        return Arrays.stream(Kind.values())
                .filter(kind -> !counts.containsKey(kind))
                .toList();
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}

package dev.sluice.route;

import dev.sluice.model.ChangeEvent;
import java.util.LinkedHashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who of one partition is read again, and from where. What a lane does not take is not kept anywhere: it is a position in
 * the log, from which a {@link CatchUp} reads on. Guarded by its partition's lock.
 */
final class Backlog {
    private static final Logger LOG = LoggerFactory.getLogger(Backlog.class);

    private final Surroundings around;
    private final PartitionHead head;
    private final Standings standings;
    private final Rereading rereading;

    Backlog(Surroundings around, PartitionHead head, Standings standings, Rereading rereading) {
        this.around = around;
        this.head = head;
        this.standings = standings;
        this.rereading = rereading;
    }

    /** Those that were behind are so again, and go on from where they were. */
    void restore(SavedPosition saved) {
        saved.behind().forEach((key, at) -> {
            LaneProgress progress = standings.of(key);
            progress.fallBehind(Positions.of(at), around.turns().now());
            progress.begin();
            catchUp(progress);
        });
    }

    /**
     * The lane has no room for this event: from it on all is to be read again.
     *
     * @param gateway whose lane it is; empty when no gateway serves it
     */
    void fallBehind(LaneProgress progress, Lane.Room why, ChangeEvent event, String gateway) {
        progress.fallBehind(progress.given(head.at()), around.turns().now());
        progress.misses(event);
        around.counters().fellBehind(gateway, why);
        LOG.atInfo()
                .addKeyValue("partition", rereading.partition())
                .addKeyValue("lane", progress)
                .addKeyValue("why", why)
                .log("a lane falls behind: it is read again from its position");
        catchUp(progress);
    }

    /** Has it read from where it is, unless that is under way. */
    void catchUp(LaneProgress progress) {
        if (progress.catchUp == null || progress.catchUp.isOver()) {
            CatchUp fresh = new CatchUp(rereading, progress, around);
            fresh.start();
            progress.catchUp = fresh;
        }
    }

    /** What was given of it counts for nothing: all behind the position is read again. */
    void putBack(LaneProgress progress, Positions to) {
        progress.putBack(to, around.turns().now());
        catchUp(progress);
    }

    /** It is read again from there, unless it has not been read so far. */
    void lower(SavedPosition.LaneKey key, Positions to) {
        boolean fresh = !standings.has(key);
        LaneProgress progress = standings.of(key);
        Positions behind = progress.behind();
        if (fresh || !to.reaches(behind == null ? head.at() : behind)) {
            Positions at = fresh && head.isNowhere() ? to.copy() : standings.lowWater(progress);
            at.lower(to);
            if (!fresh) {
                progress.mayRepeat(head.at());
            }
            putBack(progress, at);
        }
    }

    /** Others stand for those it stood for. */
    void discard(LaneProgress progress) {
        if (progress.starting != null) {
            progress.starting.keySet().forEach(standings.starts()::startedAtOnce);
        }
        progress.putBack(standings.startOf(progress), around.turns().now());
        standings.drop(progress);
    }

    /** The source says that changes are missing: who is behind will come upon that when it is read again. */
    void announceGap(ChangeEvent event) {
        around.counters().gaps.increment();
        standings.all().stream().filter(LaneProgress::isBehind).forEach(LaneProgress::mustResync);
        LOG.atError()
                .addKeyValue("partition", rereading.partition())
                .addKeyValue("event", event.id())
                .addKeyValue("collection", event.collection())
                .log("changes are missing: every subscription concerned is told to resync");
    }

    /** What the head was about to read is gone: everybody falls behind, and those who needed it will be told. */
    void headLost(Set<SavedPosition.LaneKey> concerned) {
        around.counters().gaps.increment();
        Set<SavedPosition.LaneKey> all = new LinkedHashSet<>();
        standings.classes().forEach(each -> all.add(each.key()));
        all.addAll(concerned);
        for (SavedPosition.LaneKey key : all) {
            LaneProgress progress = standings.of(key);
            if (!progress.isBehind()) {
                progress.fallBehind(progress.given(head.at()), around.turns().now());
                catchUp(progress);
            }
            progress.mustResync();
        }
    }
}

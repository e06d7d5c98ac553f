package dev.sluice.server.streamer;

import dev.sluice.coordinate.CheckpointBackup;
import dev.sluice.coordinate.Checkpoints;
import dev.sluice.route.Streamer;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a group begins with whose store knows nothing of it: it is started for the first time, or its store was lost. Then
 * the mirror says where it was.
 *
 * <p>Its generation is the time of the start, and so higher than that of a life before: gateways that outlived the store
 * would refuse its tokens otherwise, or take new numbers for repeats.
 */
final class FirstPositions {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.streamer");

    private final Checkpoints saved;
    private final String group;
    private final InstantSource clock;

    FirstPositions(Checkpoints saved, String group, InstantSource clock) {
        this.saved = saved;
        this.group = group;
        this.clock = clock;
    }

    /**
     * Does nothing for a group that its store knows.
     *
     * @param partitions of a group that is new
     * @param subscriptions that are known all the same
     * @throws dev.sluice.checkpoint.CheckpointException when the mirror must say, and cannot
     */
    void prepare(int partitions, int subscriptions, @Nullable MirroredPositions mirror) {
        if (!saved.list().isEmpty()) {
            return;
        }
        var found = mirror == null ? Optional.<CheckpointBackup>empty() : mirror.read(group, Streamer::lowerOf);
        found.ifPresentOrElse(this::restore, () -> begin(partitions, subscriptions));
    }

    private void restore(CheckpointBackup backup) {
        var now = clock.instant().getEpochSecond();
        saved.importAll(new CheckpointBackup(group, Math.max(backup.generation(), now), backup.checkpoints()));
        LOG.atWarn()
                .addKeyValue("partitions", backup.checkpoints().size())
                .addKeyValue("generation", backup.generation())
                .log(
                        "the positions kept here are lost: going on from their mirror; what was acknowledged after the last"
                                + " copy is delivered again");
    }

    private void begin(int partitions, int subscriptions) {
        saved.begin(clock.instant().getEpochSecond(), partitions, "");
        if (subscriptions > 0) {
            LOG.atError()
                    .addKeyValue("subscriptions", subscriptions)
                    .log("positions lost: there are subscriptions but no saved positions and no mirror; every"
                            + " subscription is delivered again from where it was registered, marked as redelivery, and"
                            + " is sent RESYNC where the event log no longer reaches that far; set"
                            + " reliability.checkpoint.backend to keep a mirror");
        }
    }
}

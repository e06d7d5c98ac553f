package dev.sluice.capture;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.checkpoint.CheckpointException;
import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.model.Fnv1a64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One Puller's part of a mirror that several Pullers of the same backend share: each saves under its own key, {@code
 * backend@puller}, so that none overwrites what another would resume from.
 *
 * <p>A lost disk resumes from the Puller's own key. Without one (it has a new name, or its name was on the disk that was
 * lost) the others' keys tell how far this backend was captured. Then the <b>lowest</b> is taken that the source still has:
 * the lost Puller's own old key is among them, so the new log never begins behind what its consumers have, and what is read
 * once more is only read, since ids are dropped that a consumer's marker has passed. Whether the source still has a place is
 * found out by opening it, because not everybody may read where the history begins. A key that the source has forgotten,
 * left by a Puller long gone, would be a gap for everybody and is taken only when there is no other.
 */
public final class OwnCheckpoints implements CheckpointStore {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.capture");
    private static final char OF = '@';
    private static final int LONGEST = 60;

    private final CheckpointStore store;
    private final String puller;
    private final ChangeSource source;
    private final BooleanSupplier logIsEmpty;

    /**
     * @param puller this Puller's name, the same after a restart
     * @param logIsEmpty others' keys say nothing about a log that has a checkpoint of its own
     */
    public OwnCheckpoints(CheckpointStore store, String puller, ChangeSource source, BooleanSupplier logIsEmpty) {
        this.store = store;
        this.puller = puller;
        this.source = source;
        this.logIsEmpty = logIsEmpty;
    }

    /** Under what a Puller keeps a backend's checkpoint; a name that cannot be part of a key is replaced by its hash. */
    public static String key(String backend, String puller) {
        boolean fits = puller.length() <= LONGEST && puller.matches("[A-Za-z0-9_.-]+");
        return backend + OF + (fits ? puller : "hash-" + Long.toHexString(Fnv1a64.hash(puller)));
    }

    @Override
    public void save(String backend, Checkpoint checkpoint) {
        store.save(key(backend, puller), checkpoint);
    }

    @Override
    public Optional<Checkpoint> load(String backend) {
        Optional<Checkpoint> own = store.load(key(backend, puller));
        return own.isPresent() || !logIsEmpty.getAsBoolean() ? own : ofOthers(backend);
    }

    private Optional<Checkpoint> ofOthers(String backend) {
        List<Checkpoint> known = store.list().entrySet().stream()
                .filter(entry ->
                        entry.getKey().equals(backend) || entry.getKey().startsWith(backend + OF))
                .map(Map.Entry::getValue)
                .sorted(Comparator.comparing(Checkpoint::time))
                .toList();
        return known.stream()
                .filter(this::isStillThere)
                .findFirst()
                .or(() -> known.reversed().stream().findFirst());
    }

    /** Whatever but lost history the source objects, capture meets it again there and has the answer. */
    private boolean isStillThere(Checkpoint place) {
        if (OwedResync.isOwed(place)) {
            return true;
        }
        try {
            source.open(new StartPoint.After(place)).close();
            return true;
        } catch (SourceException refused) {
            if (refused.failure() instanceof SourceFailure.Retryable) {
                throw new CheckpointException(
                        "The source must say whether it still has a mirrored place: see that it is there.", refused);
            }
            boolean lost = refused.failure() instanceof SourceFailure.HistoryLost;
            if (lost) {
                LOG.atWarn()
                        .addKeyValue("clusterTime", place.time())
                        .log("a mirrored place is lost at the source and passed over: delete the keys of Pullers that"
                                + " are gone");
            }
            return !lost;
        }
    }

    /** Everybody's, by key. */
    @Override
    public Map<String, Checkpoint> list() {
        return store.list();
    }

    @Override
    public void delete(String backend) {
        store.delete(key(backend, puller));
    }

    @Override
    public void close() {
        store.close();
    }
}

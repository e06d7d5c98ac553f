package dev.sluice.worker.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;

/**
 * The judgement on a {@link HandlingLedger}.
 *
 * <p>The bound of duplicates, message by message: a message that was handled under an earlier token may be handled again
 * only if it was in flight or handled after the last saved cursor. No cursor that the store was seen to have may cover it
 * ({@link SavedCursors}), and none can have covered it by time: its handling came after the last cursor that its owner is
 * sure to have written ({@link Disturbances#lastCursorBefore}). Under one token nothing is handled twice and numbers only
 * rise.
 *
 * @param published messages that the stream acknowledged
 * @param lost published messages that were never handled
 * @param skipped those of them that a later message of their partition overtook
 * @param reordered first handlings that came after the first handling of a later message of the partition
 * @param duplicates accepted handlings of a message that was handled before
 * @param bound how many duplicates the formula allows: per change of owner, the messages in flight plus those handled
 *     since the last cursor
 * @param beyondBound duplicates of messages that a cursor covered
 * @param stale handlings that the ledger refused
 * @param storedTwice handlings of a message that the stream has under two sequences
 * @param takeovers changes of owner: tokens after each partition's first
 * @param violations what can happen only if ownership or the order inside one owner is broken
 */
record Verdict(
        long published,
        long lost,
        long skipped,
        long reordered,
        long duplicates,
        long bound,
        long beyondBound,
        long stale,
        long storedTwice,
        long takeovers,
        List<String> findings,
        List<String> violations) {
    private static final int SHOWN = 20;

    static Verdict of(Map<Integer, HandlingLedger.Track> tracks, Disturbances disturbances, SavedCursors saved) {
        Sums sums = new Sums(disturbances, saved);
        tracks.forEach(sums::add);
        return new Verdict(
                sums.published,
                sums.lost,
                sums.skipped,
                sums.reordered,
                sums.duplicates,
                sums.bound,
                sums.beyondBound,
                sums.stale,
                sums.storedTwice,
                sums.takeovers,
                sums.findings,
                sums.violations);
    }

    boolean isClean() {
        return lost == 0 && reordered == 0 && beyondBound == 0 && violations.isEmpty();
    }

    void assertClean() {
        assertThat(isClean()).as(this::details).isTrue();
        assertThat(duplicates).as("duplicates").isLessThanOrEqualTo(bound);
    }

    /** This verdict with the first of its findings. */
    String details() {
        List<String> all = new ArrayList<>(violations);
        all.addAll(findings);
        return this + "\n" + String.join("\n", all.subList(0, Math.min(SHOWN, all.size())));
    }

    @Override
    public String toString() {
        return "published %,d, lost %d (%d skipped), reordered %d, duplicates %,d (at most %,d; %d beyond a cursor), stale %,d refused, %d stored twice, %,d takeovers, %d violations"
                .formatted(
                        published,
                        lost,
                        skipped,
                        reordered,
                        duplicates,
                        bound,
                        beyondBound,
                        stale,
                        storedTwice,
                        takeovers,
                        violations.size());
    }

    private static final class Sums {
        private final Disturbances disturbances;
        private final SavedCursors saved;
        private long published;
        private long lost;
        private long skipped;
        private long reordered;
        private long duplicates;
        private long bound;
        private long beyondBound;
        private long stale;
        private long storedTwice;
        private long takeovers;
        private final List<String> findings = new ArrayList<>();
        private final List<String> violations = new ArrayList<>();

        private Sums(Disturbances disturbances, SavedCursors saved) {
            this.disturbances = disturbances;
            this.saved = saved;
        }

        private void add(int partition, HandlingLedger.Track track) {
            published += track.published;
            stale += track.stale;
            storedTwice += track.storedTwice;
            takeovers += Math.max(0, track.reigns.size() - 1);
            track.violations.forEach(each -> violations.add("partition " + partition + ": " + each));
            BitSet seen = new BitSet();
            BitSet uncovered = new BitSet();
            for (Reign reign : track.reigns) {
                clearSaved(uncovered, track, saved.coverOf(partition, reign.token));
                bound += uncovered.cardinality();
                replay(partition, reign, seen, uncovered);
                leaveUncovered(reign, uncovered);
            }
            for (int number = seen.nextClearBit(1); number <= track.published; number = seen.nextClearBit(number + 1)) {
                lost++;
                skipped += number < seen.length() ? 1 : 0;
                findings.add("partition " + partition + ": " + number + " is lost, between sequences "
                        + track.sequences.get(number - 1L) + " and " + track.sequences.get(number + 1L));
            }
        }

        private static void clearSaved(BitSet uncovered, HandlingLedger.Track track, SavedCursors.Cover cover) {
            for (int number = uncovered.nextSetBit(0); number >= 0; number = uncovered.nextSetBit(number + 1)) {
                if (cover.has(track.sequences.get((long) number))) {
                    uncovered.clear(number);
                }
            }
        }

        private void replay(int partition, Reign reign, BitSet seen, BitSet uncovered) {
            for (int k = 0; k < reign.size(); k++) {
                int number = (int) reign.number(k);
                if (seen.get(number)) {
                    duplicates++;
                    if (!uncovered.get(number)) {
                        beyondBound++;
                        findings.add("partition " + partition + ": " + reign + " handles " + number
                                + " again, which a cursor covered");
                    }
                } else if (number < seen.length() - 1) {
                    reordered++;
                    findings.add("partition " + partition + ": " + reign + " handles " + number
                            + " for the first time after " + (seen.length() - 1));
                }
                seen.set(number);
            }
        }

        /** What the next owner may repeat: what this one handled after its last cursor, and older ones it did not reach. */
        private void leaveUncovered(Reign reign, BitSet uncovered) {
            long cursor = disturbances.lastCursorBefore(reign.process, reign.lastTime(), reign.time(0));
            for (int k = 0; k < reign.size(); k++) {
                if (reign.time(k) - cursor < 0) {
                    uncovered.clear(0, (int) reign.number(k) + 1);
                }
            }
            for (int k = 0; k < reign.size(); k++) {
                if (reign.time(k) - cursor >= 0) {
                    uncovered.set((int) reign.number(k));
                }
            }
        }
    }
}

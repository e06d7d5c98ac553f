package dev.sluice.worker.migrate;

import dev.sluice.worker.WorkerSettings.ConsumerMode;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * A change of a group's consumer mode, and the rules by which it goes on. An operator starts it, the group's leader advances
 * it, all workers follow it. The last one of a group is kept and decides the mode: else a worker that is configured with the
 * old mode would bring it back with its next restart.
 *
 * @param number grows from migration to migration of a group
 * @param since when the phase began, in milliseconds since 1970 by the clock of the worker that wrote it
 * @param reason why it was rolled back; empty unless it was
 */
public record Migration(
        long number,
        ConsumerMode from,
        ConsumerMode to,
        Phase phase,
        long since,
        MigrationLimits limits,
        String reason) {
    /** After so many windows beyond {@code bad_windows} without a good one the shadow phase is rolled back. */
    static final int SPARE_WINDOWS = 10;

    public enum Phase {
        /** The old mode handles; consumers of the new one are created, and their deliveries only counted and compared. */
        SHADOW,
        /** The new mode handles, and is watched. */
        BURN_IN,
        /** The new mode stays. */
        DONE,
        /** The old mode handles again, or still. */
        ROLLED_BACK
    }

    /** @param shadow whether the new mode can be compared before it handles: on limits streams only */
    public static Migration start(
            long number, ConsumerMode from, ConsumerMode to, boolean shadow, MigrationLimits limits, long now) {
        return new Migration(number, from, to, shadow ? Phase.SHADOW : Phase.BURN_IN, now, limits, "");
    }

    public boolean isRunning() {
        return phase == Phase.SHADOW || phase == Phase.BURN_IN;
    }

    /** The mode that handles messages now. */
    public ConsumerMode mode() {
        return switch (phase) {
            case SHADOW, ROLLED_BACK -> from;
            case BURN_IN, DONE -> to;
        };
    }

    /**
     * The migration after a look at its workers; this one when nothing changes.
     *
     * @param living ids of the workers that live
     * @param reports of workers by id; reports of other migrations and phases, and of dead workers, do not count
     * @param missed windows of workers that are over without a report; a worker without an entry is waited for, because its
     *     report may be an old one, see {@link MissedReports}
     * @param now in milliseconds since 1970, for people to read
     */
    Migration next(
            Collection<String> living, Map<String, WindowReport> reports, Map<String, Integer> missed, long now) {
        if (!isRunning() || living.isEmpty()) {
            return this;
        }
        int fewestGood = Integer.MAX_VALUE;
        for (String worker : living) {
            WindowReport report = reports.get(worker);
            WindowReport known = report == null || !report.isOf(this) ? WindowReport.none(this, "") : report;
            WindowReport counted = known.missing(missed.getOrDefault(worker, 0));
            if (counted.bad() >= limits.badWindows() || comparesInVain(counted)) {
                return in(Phase.ROLLED_BACK, now, "worker " + worker + " has " + counted.sentence());
            }
            fewestGood = Math.min(fewestGood, missed.containsKey(worker) ? counted.good() : 0);
        }
        if (fewestGood < goodWindowsNeeded()) {
            return this;
        }
        return in(phase == Phase.SHADOW ? Phase.BURN_IN : Phase.DONE, now, "");
    }

    private int goodWindowsNeeded() {
        return phase == Phase.SHADOW ? limits.windows() : limits.burnInWindows();
    }

    /** Shadows cost what the handling consumers cost: a worker whose windows do not count cannot keep them for ever. */
    private boolean comparesInVain(WindowReport report) {
        return phase == Phase.SHADOW && report.sinceGood() >= limits.badWindows() + SPARE_WINDOWS;
    }

    /** The migration after an operator has ended it; this one when it has ended by itself. */
    public Migration aborted(long now) {
        return isRunning() ? in(Phase.ROLLED_BACK, now, "aborted by an operator") : this;
    }

    private Migration in(Phase next, long now, String why) {
        return new Migration(number, from, to, next, now, limits, why);
    }

    /** Describes this migration in one sentence, for the status and the log. */
    public String sentence() {
        return word(from) + " to " + word(to) + ": " + word(phase) + (reason.isEmpty() ? "" : ", " + reason);
    }

    /** As it is written in configuration. */
    public static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    BsonDocument toDocument() {
        return new BsonDocument("number", new BsonInt64(number))
                .append("from", new BsonString(from.name()))
                .append("to", new BsonString(to.name()))
                .append("phase", new BsonString(phase.name()))
                .append("since", new BsonInt64(since))
                .append("reason", new BsonString(reason))
                .append("window", new BsonInt64(limits.window().toMillis()))
                .append("windows", new BsonInt32(limits.windows()))
                .append("badWindows", new BsonInt32(limits.badWindows()))
                .append("burnIn", new BsonInt64(limits.burnIn().toMillis()))
                .append("maxLag", new BsonInt64(limits.maxLag()))
                .append("maxRedelivered", new BsonInt32(limits.maxRedelivered()));
    }

    static Migration of(BsonDocument document) {
        return new Migration(
                document.getNumber("number").longValue(),
                ConsumerMode.valueOf(document.getString("from").getValue()),
                ConsumerMode.valueOf(document.getString("to").getValue()),
                Phase.valueOf(document.getString("phase").getValue()),
                document.getNumber("since").longValue(),
                new MigrationLimits(
                        Duration.ofMillis(document.getNumber("window").longValue()),
                        document.getNumber("windows").intValue(),
                        document.getNumber("badWindows").intValue(),
                        Duration.ofMillis(document.getNumber("burnIn").longValue()),
                        document.getNumber("maxLag").longValue(),
                        document.getNumber("maxRedelivered").intValue()),
                document.getString("reason").getValue());
    }
}

package dev.sluice.worker.migrate;

import dev.sluice.worker.migrate.Migration.Phase;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * How the windows of one worker went in one phase of a migration.
 *
 * @param migration its number
 * @param life the incarnation of the worker
 * @param window how many windows of the phase are over, earlier lives included: a report that does not grow is an old one
 * @param good windows in a row; 0 when the last one that counted was bad
 * @param bad windows in a row; 0 when the last one that counted was good
 * @param restarts new lives of the worker since its last good window
 * @param sinceGood windows since the last good one, or since the phase began
 * @param text why the last window was bad or did not count; empty when it was good
 */
public record WindowReport(
        long migration,
        Phase phase,
        String life,
        int window,
        int good,
        int bad,
        int restarts,
        int sinceGood,
        String text) {
    private static final int LONGEST_TEXT = 500;

    public WindowReport {
        text = text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) : text;
    }

    static WindowReport none(Migration migration, String life) {
        return new WindowReport(migration.number(), migration.phase(), life, 0, 0, 0, 0, 0, "");
    }

    boolean isOf(Migration other) {
        return migration == other.number() && phase == other.phase();
    }

    /**
     * The report with which this life goes on. The first new life begins without bad windows, because a restart may be
     * planned; each further one without a good window in between is a bad window, because the new mode may be the cause.
     */
    WindowReport in(String present) {
        return life.equals(present)
                ? this
                : next(present, 0, restarts == 0 ? 0 : bad + 1, restarts + 1, "the worker began a new life");
    }

    WindowReport after(Verdict verdict) {
        return switch (verdict.kind()) {
            case GOOD -> new WindowReport(migration, phase, life, window + 1, good + 1, 0, 0, 0, "");
            case NEUTRAL -> next(life, good, bad, restarts, verdict.text());
            case BAD -> next(life, 0, bad + 1, restarts, verdict.text());
        };
    }

    private WindowReport next(String present, int goodNow, int badNow, int restartsNow, String why) {
        return new WindowReport(
                migration, phase, present, window + 1, goodNow, badNow, restartsNow, sinceGood + 1, why);
    }

    /** The report of a worker that has not told how its last windows went. */
    WindowReport missing(int windows) {
        return windows == 0
                ? this
                : new WindowReport(
                        migration,
                        phase,
                        life,
                        window,
                        0,
                        bad + windows,
                        restarts,
                        sinceGood + windows,
                        "the worker reports nothing");
    }

    /** Describes this report in one sentence, for the status. */
    public String sentence() {
        if (bad > 0) {
            return inARow(bad, "bad") + ": " + text;
        }
        return inARow(good, "good") + (text.isEmpty() ? "" : "; the last window does not count: " + text);
    }

    private static String inARow(int windows, String kind) {
        return windows + " " + kind + (windows == 1 ? " window" : " windows in a row");
    }

    BsonDocument toDocument() {
        return new BsonDocument("migration", new BsonInt64(migration))
                .append("phase", new BsonString(phase.name()))
                .append("life", new BsonString(life))
                .append("window", new BsonInt32(window))
                .append("good", new BsonInt32(good))
                .append("bad", new BsonInt32(bad))
                .append("restarts", new BsonInt32(restarts))
                .append("sinceGood", new BsonInt32(sinceGood))
                .append("text", new BsonString(text));
    }

    static WindowReport of(BsonDocument document) {
        return new WindowReport(
                document.getNumber("migration").longValue(),
                Phase.valueOf(document.getString("phase").getValue()),
                document.getString("life").getValue(),
                document.getNumber("window").intValue(),
                document.getNumber("good").intValue(),
                document.getNumber("bad").intValue(),
                document.getNumber("restarts").intValue(),
                document.getNumber("sinceGood").intValue(),
                document.getString("text").getValue());
    }
}

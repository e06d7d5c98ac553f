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
 * @param text why the last window was bad or did not count; empty when it was good
 */
public record WindowReport(long migration, Phase phase, String life, int window, int good, int bad, String text) {
    private static final int LONGEST_TEXT = 500;

    public WindowReport {
        text = text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) : text;
    }

    static WindowReport none(Migration migration, String life) {
        return new WindowReport(migration.number(), migration.phase(), life, 0, 0, 0, "");
    }

    boolean isOf(Migration other) {
        return migration == other.number() && phase == other.phase();
    }

    /** The report with which this life goes on: the window in which the one before ended was a bad one. */
    WindowReport in(String present) {
        return life.equals(present)
                ? this
                : new WindowReport(migration, phase, present, window + 1, 0, bad + 1, "the worker began a new life");
    }

    WindowReport after(Verdict verdict) {
        return switch (verdict.kind()) {
            case GOOD -> new WindowReport(migration, phase, life, window + 1, good + 1, 0, "");
            case NEUTRAL -> new WindowReport(migration, phase, life, window + 1, good, bad, verdict.text());
            case BAD -> new WindowReport(migration, phase, life, window + 1, 0, bad + 1, verdict.text());
        };
    }

    /** The report of a worker that has not told how its last windows went. */
    WindowReport missing(int windows) {
        return windows == 0
                ? this
                : new WindowReport(migration, phase, life, window, 0, bad + windows, "the worker reports nothing");
    }

    /** One sentence for people. */
    public String sentence() {
        if (bad > 0) {
            return bad + " bad windows in a row: " + text;
        }
        return good + " good windows in a row" + (text.isEmpty() ? "" : "; the last one does not count: " + text);
    }

    BsonDocument toDocument() {
        return new BsonDocument("migration", new BsonInt64(migration))
                .append("phase", new BsonString(phase.name()))
                .append("life", new BsonString(life))
                .append("window", new BsonInt32(window))
                .append("good", new BsonInt32(good))
                .append("bad", new BsonInt32(bad))
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
                document.getString("text").getValue());
    }
}

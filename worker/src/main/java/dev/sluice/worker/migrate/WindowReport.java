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
 * @param good windows in a row up to now; 0 when the last one was bad
 * @param bad windows in a row up to now; 0 when the last one was good
 * @param text what was bad in the last window; empty when it was good
 */
public record WindowReport(long migration, Phase phase, int good, int bad, String text) {
    private static final int LONGEST_TEXT = 500;

    public WindowReport {
        text = text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) : text;
    }

    static WindowReport none(Migration migration) {
        return new WindowReport(migration.number(), migration.phase(), 0, 0, "");
    }

    boolean isOf(Migration other) {
        return migration == other.number() && phase == other.phase();
    }

    /** @param problem what was bad in the window that ended; empty: it was good */
    WindowReport after(String problem) {
        return problem.isEmpty()
                ? new WindowReport(migration, phase, good + 1, 0, "")
                : new WindowReport(migration, phase, 0, bad + 1, problem);
    }

    /** One sentence for people. */
    public String sentence() {
        if (bad > 0) {
            return bad + " bad windows in a row: " + text;
        }
        return good + " good windows in a row";
    }

    BsonDocument toDocument() {
        return new BsonDocument("migration", new BsonInt64(migration))
                .append("phase", new BsonString(phase.name()))
                .append("good", new BsonInt32(good))
                .append("bad", new BsonInt32(bad))
                .append("text", new BsonString(text));
    }

    static WindowReport of(BsonDocument document) {
        return new WindowReport(
                document.getNumber("migration").longValue(),
                Phase.valueOf(document.getString("phase").getValue()),
                document.getNumber("good").intValue(),
                document.getNumber("bad").intValue(),
                document.getString("text").getValue());
    }
}

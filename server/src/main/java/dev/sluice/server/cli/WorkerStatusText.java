package dev.sluice.server.cli;

import static dev.sluice.server.cli.TextTable.value;

import org.bson.BsonDocument;

/** A worker in a few lines, without its partitions. */
final class WorkerStatusText {
    private WorkerStatusText() {}

    static String of(BsonDocument worker) {
        var text = new StringBuilder();
        text.append(String.format(
                "worker %s of %s on stream %s to %s: %s; %d partitions, %s subjects, %s queued, lag %s%n",
                value(worker, "worker"),
                value(worker, "group"),
                value(worker, "stream"),
                value(worker, "handler"),
                value(worker, "state"),
                worker.getArray("partitions").size(),
                value(worker, "subjects"),
                value(worker, "queued"),
                value(worker, "lag")));
        text.append(String.format(
                "%s handled, %s retried, %s dead letters, %s redeliveries, %s handed over%n",
                value(worker, "handled"),
                value(worker, "retried"),
                value(worker, "deadLettered"),
                value(worker, "redeliveries"),
                value(worker, "handoffs")));
        var migration = worker.get("migration");
        if (migration != null && migration.isDocument()) {
            text.append(WorkerMigrateCommand.sentence(migration.asDocument()))
                    .append(windows(migration.asDocument()))
                    .append('\n');
        }
        worker.getArray("consumers")
                .forEach(name -> text.append("consumer ")
                        .append(name.asString().getValue())
                        .append('\n'));
        worker.getArray("problems")
                .forEach(problem -> text.append("  ! ")
                        .append(problem.asString().getValue())
                        .append('\n'));
        return text.toString();
    }

    private static String windows(BsonDocument migration) {
        var windows = migration.get("windows");
        return windows == null || windows.isNull() ? "" : "; this worker: " + value(migration, "windows");
    }
}

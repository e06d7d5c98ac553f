package dev.sluice.worker.migrate;

/**
 * A migration as one worker sees it.
 *
 * @param windows how the windows of this worker went in the present phase; empty when the migration does not run
 */
public record MigrationStatus(Migration migration, String windows) {}

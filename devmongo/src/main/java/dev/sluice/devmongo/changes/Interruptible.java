package dev.sluice.devmongo.changes;

/** A running operation that somebody may stop from outside. */
public interface Interruptible {
    boolean interrupted();

    /** @throws dev.sluice.devmongo.CommandException if it was interrupted */
    void check();
}

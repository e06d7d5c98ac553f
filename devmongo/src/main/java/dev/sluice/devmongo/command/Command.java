package dev.sluice.devmongo.command;

/** One command: looks at the call, does its work, and returns what the reply says. */
@FunctionalInterface
interface Command {
    /** @throws dev.sluice.devmongo.CommandException for a refusal, which becomes an error reply */
    Outcome run(Invocation call) throws InterruptedException;
}

package dev.sluice.server.cli;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that does nothing itself: it has others below it. */
abstract class GroupCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run()
    private CommandSpec spec;

    /** Reached only when none of them is named. */
    @Override
    public final void run() {
        var names = List.copyOf(spec.subcommands().keySet());
        var last = names.getLast();
        var others = names.subList(0, names.size() - 1);
        throw new ParameterException(
                spec.commandLine(), "name " + (others.isEmpty() ? "" : String.join(", ", others) + " or ") + last);
    }
}

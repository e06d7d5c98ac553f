package dev.sluice.server.cli;

import java.util.List;
import picocli.CommandLine.Parameters;

/** Deletes the named items one after the other; the first id that does not exist ends the command. */
abstract class RemoveEach extends NodeCommand {
    @Parameters(paramLabel = "ID", arity = "1..*", description = "One or more ids, as the list command shows them.")
    @SuppressWarnings("NullAway.Init")
    private List<String> ids;

    private final String path;
    private final String done;

    /** @param path of the list they are in */
    RemoveEach(String path, String done) {
        this.path = path;
        this.done = done;
    }

    @Override
    public final Integer call() throws InterruptedException {
        for (var id : ids) {
            show(node.send("DELETE", path + "/" + encoded(id), ""), answer -> done + ": " + id + "\n");
        }
        return ExitCode.DONE;
    }
}

package dev.sluice.server.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;

/** A command as tests of other packages give it. */
public final class SluiceRun {
    private SluiceRun() {}

    /** What it wrote, to standard output and standard error. */
    public static String of(String... arguments) {
        var text = new StringWriter();
        var writer = new PrintWriter(text, true);
        Sluice.run(writer, writer, Map.of(), arguments);
        return text.toString();
    }
}

package dev.sluice.server.config;

import dev.sluice.server.config.yaml.Problem;
import java.util.List;

/** What came of reading a configuration file. */
public sealed interface Reading {

    /** It can be run with; the warnings are worth an operator's look. Sorted by line. */
    record Accepted(SluiceConfig config, List<Problem> warnings) implements Reading {}

    /** Nothing may start. All problems, sorted by line; never empty. */
    record Refused(List<Problem> problems) implements Reading {}
}

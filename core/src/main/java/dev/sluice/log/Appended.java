package dev.sluice.log;

import java.util.List;

/**
 * What an append added to the log.
 *
 * @param after the head before: the entries directly follow it
 * @param entries what was added, in order, with positions; without those that the log had already
 * @param repeats how many were dropped because the log had them already
 */
public record Appended(LogPosition after, List<LogEntry> entries, int repeats) {
    public LogPosition head() {
        return entries.isEmpty() ? after : entries.getLast().position();
    }
}

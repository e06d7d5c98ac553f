package dev.sluice.devmongo.command;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Commands that are to fail.
 *
 * @param commands their names
 * @param times how often, negative for always
 * @param code the error to reply with, 0 for none
 * @param labels the labels to send instead of those the server would choose; null leaves the choice to it
 * @param closeConnection whether to close the connection instead of replying
 * @param blockMillis how long to wait first
 */
public record FailPoint(
        Set<String> commands,
        int times,
        int code,
        @Nullable List<String> labels,
        boolean closeConnection,
        long blockMillis) {}

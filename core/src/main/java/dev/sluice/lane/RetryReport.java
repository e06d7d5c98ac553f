package dev.sluice.lane;

import java.util.List;

/**
 * What becomes of dead letters that somebody wants sent again.
 *
 * @param accepted these go out, in this order; a dry run only says so
 * @param refused these do not, each with the reason behind a colon
 */
public record RetryReport(List<String> accepted, List<String> refused) {
    public RetryReport {
        accepted = List.copyOf(accepted);
        refused = List.copyOf(refused);
    }
}

package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import java.util.LinkedHashSet;
import java.util.Set;

/** Chooses the labels that tell a driver what it may do about an error. */
final class ErrorLabels {
    private static final Set<Integer> RETRYABLE_WRITE =
            Set.of(6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436);
    private static final Set<Integer> RESUMABLE_STREAM =
            Set.of(6, 7, 63, 89, 91, 133, 150, 189, 234, 262, 9001, 10107, 11600, 11602, 13435, 13436);
    private static final Set<Integer> TRANSIENT = Set.of(24, 112, 246, 251);
    private static final Set<Integer> NOT_PRIMARY = Set.of(189, 10107, 11602, 13435, 13436);

    private ErrorLabels() {}

    static Set<String> of(CommandException error, Invocation call) {
        Set<String> labels = new LinkedHashSet<>(error.errorLabels());
        boolean inTransaction = call.inTransaction();
        if (inTransaction
                && !call.name().equals("commitTransaction")
                && (TRANSIENT.contains(error.code()) || RETRYABLE_WRITE.contains(error.code()))) {
            labels.add("TransientTransactionError");
        }
        boolean retryable = call.command().containsKey("txnNumber") && (!inTransaction || call.endsTransaction());
        if (retryable && RETRYABLE_WRITE.contains(error.code())) {
            labels.add("RetryableWriteError");
        }
        if (call.readsStream() && RESUMABLE_STREAM.contains(error.code())) {
            labels.add("ResumableChangeStreamError");
        }
        return labels;
    }

    /** Whether the error is about the member's role, and so carries the topology's version. */
    static boolean aboutRole(CommandException error) {
        return NOT_PRIMARY.contains(error.code());
    }
}

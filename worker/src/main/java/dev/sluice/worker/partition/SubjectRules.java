package dev.sluice.worker.partition;

import dev.sluice.model.InvalidInputException;
import java.util.regex.Pattern;

/** Which subjects and prefixes the partitions accept. */
final class SubjectRules {
    private static final Pattern BLANK_OR_CONTROL = Pattern.compile("[\\s\\p{Cntrl}]");
    private static final int LONGEST_SUBJECT = 1_000;

    private SubjectRules() {}

    /** @throws InvalidInputException when it is not a subject a message can be published to */
    static String checkLiteral(String what, String subject) {
        for (String token : tokens(what, subject)) {
            if (token.equals("*") || token.equals(">")) {
                throw new InvalidInputException(what + " " + InvalidInputException.quote(subject)
                        + " has a wildcard: name every subject, or use a pattern with {name} tokens");
            }
        }
        return subject;
    }

    /** The tokens of a subject; empty tokens, blanks and control characters are refused. */
    static String[] tokens(String what, String subject) {
        String shown = what + " " + InvalidInputException.quote(subject);
        if (subject.isEmpty()) {
            throw new InvalidInputException(what + " is empty");
        }
        if (subject.length() > LONGEST_SUBJECT) {
            throw new InvalidInputException(
                    shown + " has " + subject.length() + " characters; at most " + LONGEST_SUBJECT + " are allowed");
        }
        if (BLANK_OR_CONTROL.matcher(subject).find()) {
            throw new InvalidInputException(shown + " has a blank or a control character");
        }
        if (subject.startsWith("$")) {
            throw new InvalidInputException(shown + " begins with '$': such subjects belong to the NATS server");
        }
        String[] tokens = subject.split("\\.", -1);
        for (String token : tokens) {
            if (token.isEmpty()) {
                throw new InvalidInputException(
                        shown + " has an empty token: no dot at the begin or the end, and no two dots in a row");
            }
        }
        return tokens;
    }
}

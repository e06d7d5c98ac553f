package dev.sluice.worker.simulation;

import java.util.List;

/** Matching of subjects and filters as NATS does it: {@code *} is one token, {@code >} one or more at the end. */
final class Subjects {
    private Subjects() {}

    static boolean matches(String filter, String subject) {
        if (filter.indexOf('*') < 0 && filter.indexOf('>') < 0) {
            return filter.equals(subject);
        }
        String[] wanted = filter.split("\\.");
        String[] tokens = subject.split("\\.");
        for (int i = 0; i < wanted.length; i++) {
            if (wanted[i].equals(">")) {
                return tokens.length > i;
            }
            if (i >= tokens.length || !(wanted[i].equals("*") || wanted[i].equals(tokens[i]))) {
                return false;
            }
        }
        return wanted.length == tokens.length;
    }

    static boolean matchesAny(List<String> filters, String subject) {
        for (String filter : filters) {
            if (matches(filter, subject)) {
                return true;
            }
        }
        return false;
    }

    /** Whether some subject matches both. */
    static boolean overlap(String one, String other) {
        String[] left = one.split("\\.");
        String[] right = other.split("\\.");
        for (int i = 0; i < Math.min(left.length, right.length); i++) {
            if (left[i].equals(">") || right[i].equals(">")) {
                return true;
            }
            if (!left[i].equals("*") && !right[i].equals("*") && !left[i].equals(right[i])) {
                return false;
            }
        }
        return left.length == right.length;
    }

    static boolean overlap(List<String> some, List<String> others) {
        return some.stream().anyMatch(one -> others.stream().anyMatch(other -> overlap(one, other)));
    }
}

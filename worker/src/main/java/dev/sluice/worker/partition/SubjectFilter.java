package dev.sluice.worker.partition;

/** Whether subjects match filters, by the rules of NATS. */
public final class SubjectFilter {
    private SubjectFilter() {}

    /** @param subject without wildcards */
    public static boolean matches(String filter, String subject) {
        String[] wanted = filter.split("\\.", -1);
        String[] tokens = subject.split("\\.", -1);
        for (int i = 0; i < wanted.length; i++) {
            if (wanted[i].equals(">")) {
                return tokens.length > i;
            }
            if (i >= tokens.length || !wanted[i].equals("*") && !wanted[i].equals(tokens[i])) {
                return false;
            }
        }
        return wanted.length == tokens.length;
    }
}

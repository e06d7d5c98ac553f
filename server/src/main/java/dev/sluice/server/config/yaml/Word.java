package dev.sluice.server.config.yaml;

/**
 * A single value before it is understood.
 *
 * @param written as it stands in the file; empty when all of it is a variable's
 * @param value with the variables filled in
 */
record Word(String written, String value) {

    /** Whether Spring would compute it. */
    boolean isExpression() {
        return value.startsWith("#{") && value.endsWith("}");
    }

    /**
     * Quotes what the file says, never what a variable held, which may be a password in the wrong place: then also the
     * suggestion is left out, because it may repeat the value.
     */
    String refused(String message) {
        var shown = written.equals(value) ? message : message.split("; write ", 2)[0];
        return written.isEmpty() && !value.isEmpty() ? shown : "'" + Quote.of(written) + "' " + shown;
    }
}

package dev.sluice.server.worker;

import dev.sluice.model.InvalidInputException;
import java.util.Collection;

/**
 * The subject messages are forwarded to, such as {@code out.{partition}}.
 *
 * @param template with {@code {partition}} and {@code {subject}} for those of the message
 */
record TargetSubject(String template) {

    String of(String partition, String subject) {
        return template.replace("{partition}", partition).replace("{subject}", subject);
    }

    /**
     * Refuses a subject the worker's own stream takes: each message would come back as a new one, for ever.
     *
     * @param subjects of the stream, with wildcards
     */
    void requireOutside(String stream, Collection<String> subjects) {
        for (String taken : subjects) {
            if (mayMatch(taken.split("\\."))) {
                throw new InvalidInputException(
                        "worker.handler.subject " + template + " may be a subject of the stream "
                                + stream + " itself (" + taken
                                + "), so forwarded messages would be forwarded again; choose a subject of another stream");
            }
        }
    }

    /** From the first token that varies on, any token may stand there. */
    private boolean mayMatch(String[] taken) {
        String[] own = template.split("\\.");
        for (int k = 0; k < Math.min(own.length, taken.length); k++) {
            if (taken[k].equals(">") || own[k].contains("{")) {
                return true;
            }
            if (!taken[k].equals("*") && !taken[k].equals(own[k])) {
                return false;
            }
        }
        return own.length == taken.length;
    }
}

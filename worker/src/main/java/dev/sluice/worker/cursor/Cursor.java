package dev.sluice.worker.cursor;

import dev.sluice.model.InvalidInputException;
import java.util.ArrayList;
import java.util.List;

/**
 * How far one partition is handled.
 *
 * @param stream the creation time of the stream in milliseconds; 0 before the partition was ever read
 * @param low every message of the partition up to this sequence is finished
 * @param finished sequences above {@code low} that are finished, ascending
 * @param retrying the message whose attempts are counted; 0: none
 * @param attempts how often that message was tried
 * @param deaths how many owners in a row died while they had the partition
 */
public record Cursor(long stream, long low, List<Long> finished, long retrying, int attempts, int deaths) {
    private static final int RADIX = 36;

    public Cursor {
        finished = List.copyOf(finished);
    }

    /** A partition that begins behind this sequence of this stream. */
    public static Cursor startingAfter(long stream, long sequence) {
        return new Cursor(stream, sequence, List.of(), 0, 0, 0);
    }

    /** With so many finished sequences at most: a worker that starts here handles the others again. */
    Cursor limitedTo(int most) {
        return finished.size() <= most
                ? this
                : new Cursor(stream, low, finished.subList(0, most), retrying, attempts, deaths);
    }

    public Cursor afterDeath() {
        return new Cursor(stream, low, finished, retrying, attempts, deaths + 1);
    }

    /** The form in which it is stored: {@code stream;low}, then what is not empty, in base 36. */
    public String toText() {
        StringBuilder text = new StringBuilder(32);
        text.append(Long.toString(stream, RADIX)).append(';').append(Long.toString(low, RADIX));
        if (!finished.isEmpty()) {
            text.append(";f");
            long before = low;
            for (long sequence : finished) {
                text.append(before == low ? "" : ",").append(Long.toString(sequence - before, RADIX));
                before = sequence;
            }
        }
        if (retrying > 0) {
            text.append(";a").append(Long.toString(retrying, RADIX)).append(',').append(attempts);
        }
        if (deaths > 0) {
            text.append(";d").append(deaths);
        }
        return text.toString();
    }

    public static Cursor parse(String text) {
        try {
            String[] parts = text.split(";");
            long low = Long.parseLong(parts[1], RADIX);
            List<Long> finished = new ArrayList<>();
            long retrying = 0;
            int attempts = 0;
            int deaths = 0;
            for (int i = 2; i < parts.length; i++) {
                String value = parts[i].substring(1);
                switch (parts[i].charAt(0)) {
                    case 'f' -> addAll(finished, low, value);
                    case 'a' -> {
                        retrying = Long.parseLong(value.substring(0, value.indexOf(',')), RADIX);
                        attempts = Integer.parseInt(value.substring(value.indexOf(',') + 1));
                    }
                    case 'd' -> deaths = Integer.parseInt(value);
                    default -> throw new IllegalArgumentException("unknown part " + parts[i]);
                }
            }
            return new Cursor(Long.parseLong(parts[0], RADIX), low, finished, retrying, attempts, deaths);
        } catch (RuntimeException e) {
            throw new InvalidInputException("cursor " + InvalidInputException.quote(text)
                    + " cannot be read: it was written by another version, or by another program ("
                    + e.getMessage() + ")");
        }
    }

    private static void addAll(List<Long> finished, long low, String deltas) {
        long before = low;
        for (String delta : deltas.split(",")) {
            before += Long.parseLong(delta, RADIX);
            finished.add(before);
        }
    }
}

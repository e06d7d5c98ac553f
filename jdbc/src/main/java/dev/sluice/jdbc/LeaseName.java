package dev.sluice.jdbc;

import dev.sluice.coordinate.Keys;
import dev.sluice.model.InvalidInputException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * How a lease is written in ShedLock's table: the row's name is the lease's, or a hash that begins like it when it is
 * longer than the column; {@code locked_by} is the lease's name and the holder, so that nothing is lost by the hash.
 */
record LeaseName(String name, String holder) {
    private static final int ROW_LIMIT = 64;
    private static final int HOLDER_LIMIT = 255;
    private static final int READABLE = 20;
    /** No key contains it. */
    private static final char BETWEEN = '#';

    LeaseName {
        Keys.check(name);
        if (holder.isEmpty() || name.length() + 1 + holder.length() > HOLDER_LIMIT) {
            throw new InvalidInputException(
                    "a lease over JDBC needs a holder, and a name that is together with it shorter than " + HOLDER_LIMIT
                            + " characters, not \"" + name + "\" held by \"" + holder + '"');
        }
    }

    static LeaseName parse(String lockedBy) {
        int between = lockedBy.indexOf(BETWEEN);
        return new LeaseName(lockedBy.substring(0, between), lockedBy.substring(between + 1));
    }

    String lockedBy() {
        return name + BETWEEN + holder;
    }

    String row() {
        return name.length() <= ROW_LIMIT ? name : name.substring(0, READABLE) + '~' + hash(name);
    }

    /** 43 characters. */
    private static String hash(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }
}

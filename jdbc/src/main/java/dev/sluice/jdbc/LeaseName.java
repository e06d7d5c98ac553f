package dev.sluice.jdbc;

import dev.sluice.coordinate.Keys;
import dev.sluice.model.InvalidInputException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;

/**
 * How a lease is written in ShedLock's table. The row's name is the lease's, or one that begins like it and goes on with a
 * hash when it is longer than the column. {@code locked_by} is the lease's name and the holder; only when they are
 * longer than that column too, the row's name stands for the lease's, which is then kept among the values.
 */
record LeaseName(String name, String holder) {
    private static final int ROW_LIMIT = 64;
    private static final int HOLDER_LIMIT = 255;
    private static final int READABLE = 20;
    /** No key contains them. */
    private static final char BETWEEN = '#';

    private static final char HASHED = '~';

    LeaseName {
        Keys.check(name);
        if (holder.isEmpty() || ROW_LIMIT + 1 + holder.length() > HOLDER_LIMIT) {
            throw new InvalidInputException("the holder of a lease over JDBC has 1 to " + (HOLDER_LIMIT - ROW_LIMIT - 1)
                    + " characters, not \"" + holder + '"');
        }
    }

    /** Matches every {@code locked_by} that {@link #lockedBy} may have made of a lease below the prefix, and others. */
    static List<String> patterns(String prefix) {
        return List.of(prefix.replace("_", "!_") + '%' + BETWEEN + '%', "%" + HASHED + '%' + BETWEEN + '%');
    }

    /** The name of the lease, or of its row if {@link #isHashed}. */
    static String nameIn(String lockedBy) {
        return lockedBy.substring(0, lockedBy.indexOf(BETWEEN));
    }

    static String holderIn(String lockedBy) {
        return lockedBy.substring(lockedBy.indexOf(BETWEEN) + 1);
    }

    static boolean isHashed(String name) {
        return name.indexOf(HASHED) >= 0;
    }

    /** Where the values keep the name of a lease that does not fit; no key of a user. */
    static String keyOfName(String row) {
        return "#lease/" + row;
    }

    boolean fits() {
        return name.length() + 1 + holder.length() <= HOLDER_LIMIT;
    }

    String lockedBy() {
        return (fits() ? name : row()) + BETWEEN + holder;
    }

    String row() {
        return name.length() <= ROW_LIMIT ? name : name.substring(0, READABLE) + HASHED + hash(name);
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

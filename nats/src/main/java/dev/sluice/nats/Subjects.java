package dev.sluice.nats;

/**
 * Keys as NATS subjects: a segment is a token, so that a prefix is a wildcard. The dot, which ends a token there and is an
 * ordinary character here, becomes {@code =}, which is no character of our keys and one of NATS's.
 */
final class Subjects {
    private final String root;

    Subjects(String bucket) {
        this.root = "$KV." + bucket + ".";
    }

    String all() {
        return root + ">";
    }

    String of(String key) {
        return root + key.replace('.', '=').replace('/', '.');
    }

    /** Everything below a prefix, which ends with a slash. */
    String below(String prefix) {
        return of(prefix) + ">";
    }

    String keyOf(String subject) {
        return subject.substring(root.length()).replace('.', '/').replace('=', '.');
    }
}

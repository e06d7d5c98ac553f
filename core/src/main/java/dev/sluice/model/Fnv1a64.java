package dev.sluice.model;

/**
 * The FNV-1a hash, 64 bits: simple enough that a consumer in any language computes the same partition. A hash in
 * progress is a plain {@code long}, so that hashing several pieces allocates nothing.
 */
public final class Fnv1a64 {
    public static final long START = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private Fnv1a64() {}

    public static long hash(byte[] bytes, int offset, int length) {
        long hash = START;
        for (int k = offset; k < offset + length; k++) {
            hash = add(hash, bytes[k]);
        }
        return hash;
    }

    public static long hash(String text) {
        return add(START, text);
    }

    public static long add(long hash, int octet) {
        return (hash ^ (octet & 0xFF)) * PRIME;
    }

    /** Continues with the UTF-8 form of the text; a lone surrogate counts as {@code ?}, as Java encodes it. */
    public static long add(long hash, String text) {
        for (int k = 0; k < text.length(); k++) {
            char c = text.charAt(k);
            if (c < 0x80) {
                hash = add(hash, c);
            } else if (c < 0x800) {
                hash = add(add(hash, 0xC0 | c >> 6), 0x80 | c & 0x3F);
            } else if (!Character.isSurrogate(c)) {
                hash = add(add(add(hash, 0xE0 | c >> 12), 0x80 | c >> 6 & 0x3F), 0x80 | c & 0x3F);
            } else if (Character.isHighSurrogate(c)
                    && k + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(k + 1))) {
                int point = Character.toCodePoint(c, text.charAt(++k));
                hash = add(add(hash, 0xF0 | point >> 18), 0x80 | point >> 12 & 0x3F);
                hash = add(add(hash, 0x80 | point >> 6 & 0x3F), 0x80 | point & 0x3F);
            } else {
                hash = add(hash, '?');
            }
        }
        return hash;
    }
}

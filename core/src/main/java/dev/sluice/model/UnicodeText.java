package dev.sluice.model;

/** Tells texts that can be stored and sent from those that cannot. */
public final class UnicodeText {
    private UnicodeText() {}

    /** Without half a surrogate pair, which would become another text on disk and on the wire. */
    public static boolean isWhole(String text) {
        for (int k = 0; k < text.length(); k++) {
            if (Character.isSurrogate(text.charAt(k))) {
                return text.codePoints().noneMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
            }
        }
        return true;
    }

    /** Without control characters, which stand for no letter and may mean something to whoever reads it. */
    public static boolean isWithoutControls(String text) {
        for (int k = 0; k < text.length(); k++) {
            if (Character.isISOControl(text.charAt(k))) {
                return false;
            }
        }
        return true;
    }
}

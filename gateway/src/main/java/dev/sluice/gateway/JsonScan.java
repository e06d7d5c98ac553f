package dev.sluice.gateway;

import dev.sluice.model.InvalidInputException;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON from strangers, once, from front to back. Documents inside are checked and cut out as they stand, not
 * decoded: they are passed on. For one text.
 */
public final class JsonScan {
    /** MongoDB nests a hundred levels; extended JSON adds one for a value. */
    private static final int DEEPEST = 250;

    /** A power of two. */
    private static final int NAME_SLOTS = 64;

    private final String text;

    /** Names of members read before, by {@link #slot}: most names come again, and are not copied out of the text again. */
    private final @Nullable String[] names = new String[NAME_SLOTS];

    private int at;
    private int depth;

    public JsonScan(String text) {
        this.text = text;
    }

    /** Takes one member's value off the scan. */
    @FunctionalInterface
    public interface Member {
        void read(String name);
    }

    /** An object; every value is to be taken by the reader, or skipped with {@link #raw}. */
    public void object(Member reader) {
        open('{');
        if (!closes('}')) {
            do {
                String name = name();
                expect(':');
                reader.read(name);
            } while (goesOn('}'));
        }
        depth--;
    }

    public void array(Runnable reader) {
        open('[');
        if (!closes(']')) {
            do {
                reader.run();
            } while (goesOn(']'));
        }
        depth--;
    }

    private void open(char bracket) {
        expect(bracket);
        if (++depth > DEEPEST) {
            throw bad("nested deeper than " + DEEPEST + " levels");
        }
    }

    private boolean closes(char bracket) {
        if (peek() != bracket) {
            return false;
        }
        at++;
        return true;
    }

    private boolean goesOn(char bracket) {
        char c = peek();
        at++;
        if (c != ',' && c != bracket) {
            throw bad("expected , or " + bracket);
        }
        return c == ',';
    }

    /** Any value, as it stands in the text. */
    public String raw() {
        peek();
        int from = at;
        skip();
        return text.substring(from, at);
    }

    private void skip() {
        switch (peek()) {
            case '{' -> object(name -> skip());
            case '[' -> array(this::skip);
            case '"' -> string();
            case 't' -> literal("true");
            case 'f' -> literal("false");
            case 'n' -> literal("null");
            default -> number();
        }
    }

    private String name() {
        int from = start() + 1;
        int length = isString() ? text.indexOf('"', from) - from : 0;
        if (length <= 0) {
            return string();
        }
        int slot = slot(from, length);
        String known = names[slot];
        if (known != null && known.length() == length && text.startsWith(known, from)) {
            at = from + length + 1;
            return known;
        }
        String name = string();
        // A name with escapes is shorter than its text; it is not kept.
        if (name.length() == length && at == from + length + 1) {
            names[slot] = name;
        }
        return name;
    }

    /** The factors give each name of a delivery a slot of its own. */
    private int slot(int from, int length) {
        return (31 * (6 * text.charAt(from) + text.charAt(from + length - 1)) + 57 * length) & (NAME_SLOTS - 1);
    }

    public String string() {
        expect('"');
        int from = at;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '"') {
                return text.substring(from, at++);
            }
            if (c == '\\') {
                return escaped(from);
            }
            checkPrintable(c);
            at++;
        }
        throw bad("a string does not end");
    }

    private String escaped(int from) {
        StringBuilder plain = new StringBuilder(text.substring(from, at));
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"') {
                return plain.toString();
            }
            checkPrintable(c);
            plain.append(c == '\\' ? escape() : c);
        }
        throw bad("a string does not end");
    }

    private char escape() {
        char c = at < text.length() ? text.charAt(at++) : ' ';
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw bad("there is no such escape");
        };
    }

    private char unicode() {
        int code = 0;
        for (int k = 0; k < 4; k++) {
            int digit = at < text.length() ? Character.digit(text.charAt(at++), 16) : -1;
            if (digit < 0) {
                throw bad("\\u takes four hexadecimal digits");
            }
            code = code * 16 + digit;
        }
        return (char) code;
    }

    private void checkPrintable(char c) {
        if (c < ' ') {
            throw bad("a control character stands in a string");
        }
    }

    public long integer() {
        peek();
        int from = at;
        number();
        try {
            return Long.parseLong(text, from, at, 10);
        } catch (NumberFormatException e) {
            throw bad("expected a whole number");
        }
    }

    public boolean bool() {
        boolean value = peek() == 't';
        literal(value ? "true" : "false");
        return value;
    }

    /** Whether a null stands here; it is taken then. */
    public boolean isNull() {
        if (peek() != 'n') {
            return false;
        }
        literal("null");
        return true;
    }

    /** The place where the next value begins. */
    int start() {
        peek();
        return at;
    }

    /** The place behind the last value. */
    int place() {
        return at;
    }

    /**
     * Takes the next value if it is the same text as the object, array or string that was read from one place to another;
     * else takes nothing. Not for numbers and literals, which may be the beginning of a longer value.
     */
    boolean takesAgain(int from, int to) {
        int start = start();
        if (!text.regionMatches(start, text, from, to - from)) {
            return false;
        }
        at = start + to - from;
        return true;
    }

    /** Whether a string stands here; it is not taken. */
    public boolean isString() {
        return peek() == '"';
    }

    private void number() {
        int from = at;
        if (at < text.length() && text.charAt(at) == '-') {
            at++;
        }
        digits();
        if (at < text.length() && text.charAt(at) == '.') {
            at++;
            digits();
        }
        if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
            at++;
            if (at < text.length() && (text.charAt(at) == '-' || text.charAt(at) == '+')) {
                at++;
            }
            digits();
        }
        int first = text.charAt(from) == '-' ? from + 1 : from;
        if (text.charAt(first) == '0' && first + 1 < at && Character.isDigit(text.charAt(first + 1))) {
            throw bad("a number starts with 0");
        }
    }

    private void digits() {
        int from = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == from) {
            throw bad("expected a value");
        }
    }

    private void literal(String word) {
        if (!text.startsWith(word, at)) {
            throw bad("expected " + word);
        }
        at += word.length();
    }

    private void expect(char c) {
        if (peek() != c) {
            throw bad("expected " + c);
        }
        at++;
    }

    /** The next character that is no white space. */
    private char peek() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (!isSpace(c)) {
                return c;
            }
            at++;
        }
        throw bad("it ends too early");
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\n' || c == '\r' || c == '\t';
    }

    /** To be called last. */
    public void end() {
        while (at < text.length()) {
            if (!isSpace(text.charAt(at++))) {
                throw bad("something follows the end");
            }
        }
    }

    private InvalidInputException bad(String why) {
        return new InvalidInputException("not JSON at character " + at + ": " + why);
    }
}

package dev.sluice.outbox.table;

import dev.sluice.model.InvalidInputException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads one flat JSON object. */
final class HeaderParser {
    private final String json;
    private int at;

    HeaderParser(String json) {
        this.json = json;
    }

    /** @throws InvalidInputException saying where it is none */
    Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        take('{');
        if (next() != '}') {
            do {
                String name = text();
                take(':');
                headers.put(name, value());
            } while (comma());
        }
        take('}');
        if (next() != 0) {
            throw bad("nothing more");
        }
        return Collections.unmodifiableMap(headers);
    }

    private boolean comma() {
        if (next() != ',') {
            return false;
        }
        at++;
        return true;
    }

    private void take(char expected) {
        if (next() != expected) {
            throw bad("'" + expected + "'");
        }
        at++;
    }

    /** The next character that says something, 0 at the end. */
    private char next() {
        while (at < json.length() && json.charAt(at) <= ' ') {
            at++;
        }
        return at < json.length() ? json.charAt(at) : 0;
    }

    private String value() {
        return next() == '"' ? text() : raw();
    }

    /** A number, a word, an array or an object, as it stands. */
    private String raw() {
        int start = at;
        int depth = 0;
        while (at < json.length()) {
            char c = json.charAt(at);
            if (depth == 0 && (c == ',' || c == '}')) {
                break;
            }
            if (c == '"') {
                text();
                continue;
            }
            depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
            at++;
        }
        String raw = json.substring(start, at).strip();
        if (raw.isEmpty() || depth != 0) {
            throw bad("a value");
        }
        return raw;
    }

    private String text() {
        take('"');
        int end = at;
        while (end < json.length() && json.charAt(end) != '"' && json.charAt(end) != '\\') {
            end++;
        }
        if (end < json.length() && json.charAt(end) == '"') {
            String plain = json.substring(at, end);
            at = end + 1;
            return plain;
        }
        return escaped();
    }

    private String escaped() {
        StringBuilder text = new StringBuilder();
        while (at < json.length()) {
            char c = json.charAt(at++);
            if (c == '"') {
                return text.toString();
            }
            text.append(c == '\\' ? escape() : c);
        }
        throw bad("the end of a text");
    }

    private char escape() {
        char c = at < json.length() ? json.charAt(at++) : 0;
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw bad("an escape that JSON knows");
        };
    }

    private char unicode() {
        try {
            char c = (char) Integer.parseUnsignedInt(json, at, at + 4, 16);
            at += 4;
            return c;
        } catch (NumberFormatException | IndexOutOfBoundsException none) {
            throw bad("four hexadecimal digits");
        }
    }

    private InvalidInputException bad(String expected) {
        return new InvalidInputException("the headers of an outbox row are a flat JSON object; " + expected
                + " is expected at character " + at + " of " + InvalidInputException.quote(json));
    }
}

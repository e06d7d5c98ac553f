package dev.sluice.model;

import java.util.Map;
import java.util.TreeMap;

/**
 * Reads <code>{"p":{"backend":"event id", …}}</code> and nothing else. Names and ids never need escapes, so none are
 * accepted; white space between tokens is.
 */
final class MarkerJson {
    private final String json;
    private final String marker;
    private int at;

    MarkerJson(String json, String marker) {
        this.json = json;
        this.marker = marker;
    }

    Map<String, EventId> positions() {
        expect('{');
        if (!string().equals("p")) {
            throw bad("its only field is \"p\"");
        }
        expect(':');
        expect('{');
        Map<String, EventId> positions = new TreeMap<>();
        if (peek() != '}') {
            do {
                position(positions);
            } while (skip(','));
        }
        expect('}');
        expect('}');
        if (peek() != END) {
            throw bad("something follows its end");
        }
        return positions;
    }

    private void position(Map<String, EventId> positions) {
        String backend = BackendName.check(string());
        expect(':');
        EventId id = EventId.parse(string());
        if (positions.put(backend, id) != null) {
            throw bad("it names backend " + backend + " twice");
        }
    }

    private String string() {
        expect('"');
        int end = json.indexOf('"', at);
        if (end < 0) {
            throw bad("a string does not end");
        }
        String text = json.substring(at, end);
        if (text.indexOf('\\') >= 0) {
            throw bad("it contains an escape");
        }
        at = end + 1;
        return text;
    }

    private static final char END = '\0';

    /** The next character that is not white space, or {@link #END}. */
    private char peek() {
        while (at < json.length() && " \t\r\n".indexOf(json.charAt(at)) >= 0) {
            at++;
        }
        return at < json.length() ? json.charAt(at) : END;
    }

    private boolean skip(char wanted) {
        if (peek() != wanted) {
            return false;
        }
        at++;
        return true;
    }

    private void expect(char wanted) {
        if (at >= json.length() || !skip(wanted)) {
            throw bad("it is not {\"p\":{\"backend\":\"event id\"}}");
        }
    }

    private InvalidInputException bad(String why) {
        return bad(marker, why);
    }

    static InvalidInputException bad(String marker, String why) {
        return new InvalidInputException("progress marker " + InvalidInputException.quote(marker) + " is not valid: "
                + why + "; pass one exactly as it was received, or none to start from now");
    }
}

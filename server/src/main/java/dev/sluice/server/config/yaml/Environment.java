package dev.sluice.server.config.yaml;

import java.util.Map;
import java.util.Optional;

/** Environment variables, and the way values refer to them: {@code ${NAME}}, {@code ${NAME:default}}, {@code $${} for a literal. */
public final class Environment {

    private final Map<String, String> variables;

    public Environment(Map<String, String> variables) {
        this.variables = Map.copyOf(variables);
    }

    /** Empty also when the variable holds nothing but spaces: a deployment that leaves it blank has not set it. */
    public Optional<String> get(String name) {
        return Optional.ofNullable(variables.get(name)).filter(value -> !value.isBlank());
    }

    /** @throws IllegalArgumentException naming the variable that is missing, or the brace */
    public String expand(String text) {
        var start = text.indexOf("${");
        if (start < 0) {
            return text;
        }
        if (start > 0 && text.charAt(start - 1) == '$') {
            return text.substring(0, start - 1) + "${" + expand(text.substring(start + 2));
        }
        var end = closingBrace(text, start + 2);
        return text.substring(0, start) + value(text.substring(start + 2, end)) + expand(text.substring(end + 1));
    }

    private String value(String reference) {
        var colon = reference.indexOf(':');
        var name = colon < 0 ? reference : reference.substring(0, colon);
        if (!name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
            throw new IllegalArgumentException(
                    "has a ${...} without a variable's name; write ${NAME} or ${NAME:default}, or $${ for a literal ${");
        }
        var value = variables.get(name);
        if (value != null) {
            return value;
        }
        if (colon < 0) {
            throw new IllegalArgumentException(
                    "environment variable " + name + " is not set; set it, or write ${" + name + ":default}");
        }
        return expand(reference.substring(colon + 1));
    }

    /** A default may hold braces of its own, such as those of a Spring expression, when they come in pairs. */
    private static int closingBrace(String text, int from) {
        var depth = 1;
        for (var i = from; i < text.length(); i++) {
            if (text.charAt(i) == '{') {
                depth++;
            } else if (text.charAt(i) == '}' && --depth == 0) {
                return i;
            }
        }
        throw new IllegalArgumentException("has a ${ that is never closed; add the }, or write $${ for a literal ${");
    }
}

package dev.sluice.server.config.yaml;

import dev.sluice.net.ListenAddress;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * One word of text into one value. Besides the types named here, any class with a public static
 * {@code parse(String)} is a scalar. What is wrong comes back as the end of a sentence that starts with the value.
 */
final class Scalars {

    private Scalars() {}

    static Object parse(Class<?> type, String text, boolean alsoMillis) {
        if (type == String.class) {
            return text;
        }
        if (type == boolean.class) {
            return bool(text);
        }
        if (type == int.class) {
            return Math.toIntExact(whole(text, Integer.MIN_VALUE, Integer.MAX_VALUE));
        }
        if (type == long.class) {
            return whole(text, Long.MIN_VALUE, Long.MAX_VALUE);
        }
        if (type == double.class) {
            return decimal(text);
        }
        if (type == Duration.class) {
            return alsoMillis ? Durations.parseAlsoMillis(text) : Durations.parse(text);
        }
        if (type == Path.class) {
            return path(text);
        }
        if (type == ListenAddress.class) {
            return address(text);
        }
        return type.isEnum() ? constant(type, text) : byOwnParse(type, text);
    }

    /** What the documentation calls the type. */
    static String name(Class<?> type) {
        if (type.isEnum()) {
            return String.join(" \\| ", constants(type));
        }
        return switch (type.getSimpleName()) {
            case "int", "long" -> "whole number";
            case "double" -> "number";
            case "String" -> "text";
            case "DataSize" -> "size";
            case "OutboxKeep" -> "off \\| duration";
            case "ConnectionString" -> "connection string";
            case "ListenAddress" -> "host:port";
            default -> type.getSimpleName().toLowerCase(Locale.ROOT);
        };
    }

    /** Whether a value of this type may be quoted in a message. */
    static boolean isSecret(Class<?> type) {
        return type == Secret.class || type == ConnectionString.class;
    }

    private static boolean bool(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("is neither true nor false");
        };
    }

    private static long whole(String text, long least, long most) {
        try {
            var value = Long.parseLong(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            if (!text.matches("[+-]?\\d+")) {
                throw new IllegalArgumentException("is not a whole number; write digits only, as in 100", e);
            }
        }
        throw new IllegalArgumentException("does not fit; it must be between " + least + " and " + most);
    }

    private static double decimal(String text) {
        if (!text.matches("[+-]?\\d{1,15}(\\.\\d{1,15})?")) {
            throw new IllegalArgumentException("is not a number; write for example 2.0");
        }
        return Double.parseDouble(text);
    }

    private static Path path(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("is not a path");
        }
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("is not a path", e);
        }
    }

    private static ListenAddress address(String text) {
        try {
            return ListenAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("is not an address; write host:port, as in 127.0.0.1:50051", e);
        }
    }

    private static Object constant(Class<?> type, String text) {
        var names = constants(type);
        for (var i = 0; i < names.size(); i++) {
            if (Names.canonical(names.get(i)).equals(Names.canonical(text))) {
                return type.getEnumConstants()[i];
            }
        }
        throw new IllegalArgumentException("is not one of " + String.join(", ", names)
                + Names.nearest(text, names)
                        .map(near -> "; did you mean " + near + "?")
                        .orElse(""));
    }

    private static List<String> constants(Class<?> type) {
        return Arrays.stream(type.getEnumConstants())
                .map(constant -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT))
                .collect(Collectors.toList());
    }

    private static Object byOwnParse(Class<?> type, String text) {
        try {
            var parse = type.getMethod("parse", String.class);
            if (!Modifier.isStatic(parse.getModifiers())) {
                throw new IllegalStateException(type + " has no static parse(String)");
            }
            return parse.invoke(null, text);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof IllegalArgumentException refused) {
                throw refused;
            }
            throw new IllegalStateException(type + ".parse failed", e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type + " is not a type the configuration can hold", e);
        }
    }
}

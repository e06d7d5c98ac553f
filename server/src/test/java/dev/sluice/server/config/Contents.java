package dev.sluice.server.config;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.security.Key;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** An object of ours as text, with everything it holds: by which two of them are compared that have no equality. */
final class Contents {
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    private Contents() {}

    static String of(Object thing) {
        return new Contents().text(thing);
    }

    private String text(Object value) {
        if (value == null) {
            return "null";
        }
        return switch (value) {
            case Key key -> Base64.getEncoder().encodeToString(key.getEncoded());
            case byte[] bytes -> Base64.getEncoder().encodeToString(bytes);
            case Path path -> path.toString();
            case Optional<?> optional -> optional.map(this::text).orElse("nothing");
            case Map<?, ?> map -> text(map);
            case Collection<?> collection ->
                collection.stream().map(this::text).sorted().toList().toString();
            default -> isOurs(value.getClass()) ? fields(value) : foreign(value);
        };
    }

    private String text(Map<?, ?> map) {
        var sorted = new TreeMap<String, String>();
        map.forEach((key, value) -> sorted.put(text(key), text(value)));
        return sorted.toString();
    }

    private static boolean isOurs(Class<?> type) {
        return type.getName().startsWith("dev.sluice.") && !type.isEnum();
    }

    private String fields(Object value) {
        if (!seen.add(value)) {
            return "(again)";
        }
        var texts = new ArrayList<String>();
        for (Class<?> type = value.getClass(); type != null && isOurs(type); type = type.getSuperclass()) {
            for (var field : type.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    texts.add(field.getName() + "=" + text(read(field, value)));
                }
            }
        }
        return name(value) + texts;
    }

    /** Generated classes have another name each time. */
    private static String name(Object value) {
        return value.getClass().isHidden() || value.getClass().isSynthetic()
                ? "a function"
                : value.getClass().getSimpleName();
    }

    private static Object read(Field field, Object of) {
        try {
            field.setAccessible(true);
            return field.get(of);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Values of the JDK by what they say; of anything else it is only known what it is. */
    private static String foreign(Object value) {
        var isValue = List.of("java.lang.", "java.time.", "java.net.").stream()
                .anyMatch(value.getClass().getName()::startsWith);
        return isValue || value instanceof Enum<?>
                ? value.toString()
                : value.getClass().getSimpleName();
    }
}

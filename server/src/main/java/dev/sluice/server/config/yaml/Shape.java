package dev.sluice.server.config.yaml;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a record component holds: a scalar, a section, or an Optional, List or Map of them. */
final class Shape {

    private Shape() {}

    static Setting setting(RecordComponent component) {
        var setting = component.getAnnotation(Setting.class);
        if (setting == null) {
            throw new IllegalStateException(
                    component.getDeclaringRecord().getSimpleName() + "." + component.getName() + " has no @Setting");
        }
        return setting;
    }

    static boolean isOptional(Type type) {
        return raw(type) == Optional.class;
    }

    static boolean isList(Type type) {
        return raw(type) == List.class;
    }

    static boolean isMap(Type type) {
        return raw(type) == Map.class;
    }

    /** Everything that is written as one word, also when it is a record: it then has a static {@code parse}. */
    static boolean isScalar(Class<?> type) {
        return !type.isRecord()
                || Arrays.stream(type.getMethods())
                        .anyMatch(method -> method.getName().equals("parse"));
    }

    static Type argument(Type type, int index) {
        return ((ParameterizedType) type).getActualTypeArguments()[index];
    }

    /** The type of the word itself: of an Optional, what it may hold. */
    static Class<?> scalarType(Type type) {
        return raw(isOptional(type) ? argument(type, 0) : type);
    }

    static Class<?> raw(Type type) {
        return (Class<?>) (type instanceof ParameterizedType parameterized ? parameterized.getRawType() : type);
    }
}

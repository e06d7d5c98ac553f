package dev.sluice.server.config.yaml;

import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;

/**
 * One documented key.
 *
 * @param key its path; {@code []} stands for each item of a list
 */
public record KeyReference(String key, String type, String fallback, String meaning) {

    /** Every key below a record, in the order of its components: what the documentation must list. */
    public static List<KeyReference> of(Class<? extends Record> root) {
        var keys = new ArrayList<KeyReference>();
        collect(root, "", keys);
        return List.copyOf(keys);
    }

    private static void collect(Class<?> type, String path, List<KeyReference> into) {
        for (var component : type.getRecordComponents()) {
            var key = Section.child(path, Names.snake(component.getName()));
            var generic = component.getGenericType();
            var element = Shape.isList(generic) ? Shape.argument(generic, 0) : generic;
            var raw = Shape.scalarType(element);
            if (raw.isRecord() && !Shape.isScalar(raw)) {
                collect(raw, Shape.isList(generic) ? key + "[]" : key, into);
            } else {
                into.add(describe(component, key, generic));
            }
        }
    }

    private static KeyReference describe(RecordComponent component, String key, Type type) {
        var setting = Shape.setting(component);
        var fallback = setting.fallback().equals(Setting.NONE) ? whenAbsent(type) : "`" + setting.fallback() + "`";
        return new KeyReference(
                key, typeName(type), setting.shown().isEmpty() ? fallback : setting.shown(), setting.meaning());
    }

    private static String whenAbsent(Type type) {
        if (Shape.isOptional(type)) {
            return "unset";
        }
        return Shape.isList(type) || Shape.isMap(type) ? "empty" : "**required**";
    }

    private static String typeName(Type type) {
        if (Shape.isList(type)) {
            return "list of " + Scalars.name(Shape.raw(Shape.argument(type, 0)));
        }
        if (Shape.isMap(type)) {
            return "text to " + Scalars.name(Shape.raw(Shape.argument(type, 1)));
        }
        return Scalars.name(Shape.scalarType(type));
    }
}

package dev.sluice.server.config.yaml;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Binds YAML to records through their canonical constructors. It never stops at the first problem: a value that cannot
 * be read is reported and replaced by its fallback, so that everything after it is looked at too. A record is returned
 * even then; the caller uses it only when there are no problems.
 */
public final class Binder {

    private final Environment environment;
    private final Problems problems;

    public Binder(Environment environment, Problems problems) {
        this.environment = environment;
        this.problems = problems;
    }

    /** The record as far as it can be built; empty when something it cannot do without is missing. */
    public <R extends Record> Optional<R> bind(String text, Class<R> type) {
        return Optional.ofNullable(
                type.cast(record(YamlText.parse(text, problems).orElse(null), type, "")));
    }

    /** The record that an empty file yields, with nothing taken from the environment. */
    public static <R extends Record> R defaults(Class<R> type) {
        var problems = new Problems();
        return new Binder(new Environment(Map.of()), problems)
                .bind("", type)
                .filter(record -> problems.isEmpty())
                .orElseThrow(() -> new IllegalStateException(type + " has no complete defaults: " + problems.sorted()));
    }

    private @Nullable Object record(@Nullable Node node, Class<?> type, String path) {
        var section = Section.of(node, path, true, problems);
        var components = type.getRecordComponents();
        var arguments = new @Nullable Object[components.length];
        for (var i = 0; i < components.length; i++) {
            arguments[i] = component(section, components[i], path);
        }
        for (var refused : type.getAnnotationsByType(Refused.class)) {
            section.refuse(refused.key(), refused.reason());
        }
        section.refuseTheRest(
                Arrays.stream(components).map(c -> Names.snake(c.getName())).toList());
        return Arrays.stream(arguments).anyMatch(argument -> argument == null)
                ? null
                : construct(type, components, arguments, path);
    }

    private @Nullable Object component(Section section, RecordComponent component, String path) {
        var key = Names.snake(component.getName());
        var child = Section.child(path, key);
        var setting = Shape.setting(component);
        var node = section.take(key);
        var override = setting.env().isEmpty() ? Optional.<String>empty() : environment.get(setting.env());
        @Nullable Object value;
        if (override.isPresent()) {
            problems.fromVariable(child, setting.env());
            value = fromVariable(component, override.get(), setting, child);
        } else if (node == null) {
            return fallback(component, setting, child);
        } else {
            value = value(node, component.getGenericType(), setting, child);
        }
        return value != null ? value : quietly().fallback(component, setting, child);
    }

    private @Nullable Object fromVariable(RecordComponent component, String text, Setting setting, String path) {
        var type = component.getGenericType();
        var value = scalar(Shape.scalarType(type), new Word("", text), setting, path);
        return Shape.isOptional(type) && value != null ? Optional.of(value) : value;
    }

    private @Nullable Object value(Node node, Type type, Setting setting, String path) {
        if (Shape.isOptional(type)) {
            return optional(node, Shape.argument(type, 0), setting, path);
        }
        if (Shape.isList(type)) {
            return list(node, Shape.argument(type, 0), setting, path);
        }
        if (Shape.isMap(type)) {
            return map(node, Shape.argument(type, 1), setting, path);
        }
        var plain = (Class<?>) type;
        return plain.isRecord() && !Shape.isScalar(plain)
                ? record(node, plain, path)
                : scalar(node, plain, setting, path);
    }

    private @Nullable Object optional(Node node, Type type, Setting setting, String path) {
        if (Section.isNothing(node)) {
            return Optional.empty();
        }
        var value = value(node, type, setting, path);
        return value == null ? null : value.equals("") ? Optional.empty() : Optional.of(value);
    }

    private @Nullable Object list(Node node, Type item, Setting setting, String path) {
        if (Section.isNothing(node)) {
            return List.of();
        }
        if (!(node instanceof SequenceNode sequence)) {
            problems.add(path, "must be a list; write [a, b], or one `- item` per line");
            return null;
        }
        var items = new ArrayList<Object>();
        for (var i = 0; i < sequence.getValue().size(); i++) {
            var element = sequence.getValue().get(i);
            var child = path + "[" + i + "]";
            element.getStartMark().ifPresent(mark -> problems.locate(child, mark.getLine() + 1));
            var value = value(element, item, setting, child);
            if (value != null) {
                items.add(value);
            }
        }
        return List.copyOf(items);
    }

    private Object map(Node node, Type type, Setting setting, String path) {
        var entries = new LinkedHashMap<String, Object>();
        Section.of(node, path, false, problems).all().forEach((key, child) -> {
            var value = value(child, type, setting, Section.child(path, key));
            if (value != null) {
                entries.put(key, value);
            }
        });
        return Map.copyOf(entries);
    }

    private @Nullable Object scalar(Node node, Class<?> type, Setting setting, String path) {
        if (!(node instanceof ScalarNode scalar)) {
            problems.add(path, "must be a single value, not a section or a list");
            return null;
        }
        if (Section.isNothing(node)) {
            problems.add(path, "has no value; set one, or remove the key to get the default");
            return null;
        }
        return scalar(type, scalar.getValue(), setting, path);
    }

    private @Nullable Object scalar(Class<?> type, String text, Setting setting, String path) {
        try {
            var word = new Word(text, environment.expand(text));
            return setting.ignoresExpressions() && word.isExpression()
                    ? ignored(path)
                    : scalar(type, word, setting, path);
        } catch (IllegalArgumentException e) {
            problems.add(path, String.valueOf(e.getMessage()));
            return null;
        }
    }

    private @Nullable Object ignored(String path) {
        problems.warn(
                path,
                "is a Spring expression, which is not evaluated here, so it counts as not set; remove it, or write the"
                        + " value");
        return null;
    }

    private @Nullable Object scalar(Class<?> type, Word word, Setting setting, String path) {
        try {
            return Scalars.parse(type, word.value(), setting.alsoMillis());
        } catch (IllegalArgumentException e) {
            var message = String.valueOf(e.getMessage());
            problems.add(path, Scalars.isSecret(type) ? message : word.refused(message));
            return null;
        }
    }

    private @Nullable Object fallback(RecordComponent component, Setting setting, String path) {
        var type = component.getGenericType();
        var none = setting.fallback().equals(Setting.NONE);
        if (Shape.isOptional(type)) {
            return none ? Optional.empty() : optionalFallback(Shape.argument(type, 0), setting, path);
        }
        if (Shape.isList(type)) {
            return none ? List.of() : listFallback(Shape.argument(type, 0), setting, path);
        }
        if (Shape.isMap(type)) {
            return Map.of();
        }
        if (component.getType().isRecord() && !Shape.isScalar(component.getType())) {
            return record(null, component.getType(), path);
        }
        if (none) {
            problems.add(path, "must be set: " + setting.meaning());
            return null;
        }
        return scalar(component.getType(), setting.fallback(), setting, path);
    }

    private @Nullable Object optionalFallback(Type type, Setting setting, String path) {
        var value = scalar((Class<?>) type, setting.fallback(), setting, path);
        return value == null || value instanceof String word && word.isBlank() ? Optional.empty() : Optional.of(value);
    }

    private List<?> listFallback(Type item, Setting setting, String path) {
        return Arrays.stream(setting.fallback().split(",", -1))
                .map(text -> scalar((Class<?>) item, text.strip(), setting, path))
                .toList();
    }

    private @Nullable Object construct(
            Class<?> type, RecordComponent[] components, @Nullable Object[] arguments, String path) {
        try {
            var types = Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
            return type.getDeclaredConstructor(types).newInstance(arguments);
        } catch (InvocationTargetException e) {
            if (!(e.getCause() instanceof InvalidSettings invalid)) {
                throw new IllegalStateException("The constructor of " + type + " failed.", e.getCause());
            }
            invalid.violations().forEach(violation -> report(violation, path));
            return null;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type + " is not a public record", e);
        }
    }

    /** A rule decided from a value that could not be read says nothing: that value is reported already. */
    private void report(InvalidSettings.Violation violation, String path) {
        var keys = violation.components().stream()
                .map(component -> Section.child(path, Names.snake(component)))
                .toList();
        if (keys.stream().noneMatch(problems::touch)) {
            problems.add(keys.getFirst(), violation.message());
        }
    }

    private Binder quietly() {
        return new Binder(environment, new Problems());
    }
}

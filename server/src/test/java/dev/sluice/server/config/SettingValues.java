package dev.sluice.server.config;

import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.config.yaml.Durations;
import dev.sluice.server.config.yaml.Names;
import dev.sluice.server.config.yaml.Secret;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Looks a setting up by its key and writes it the way the file would. */
final class SettingValues {

    private SettingValues() {}

    static String at(Object record, String key) {
        Object value = record;
        for (var name : key.split("\\.")) {
            var plain = name.replace("[]", "");
            value = component(value, plain);
            value = name.endsWith("[]") ? ((List<?>) value).getFirst() : value;
        }
        return write(value);
    }

    private static Object component(Object record, String key) {
        try {
            var component = Arrays.stream(record.getClass().getRecordComponents())
                    .filter(c -> Names.snake(c.getName()).equals(key))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(record.getClass() + " has no " + key));
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static String write(Object value) {
        return switch (value) {
            case Optional<?> optional -> optional.map(SettingValues::write).orElse("unset");
            case List<?> list -> list.stream().map(SettingValues::write).collect(Collectors.joining(", ", "[", "]"));
            case Duration duration -> Durations.format(duration);
            case Enum<?> constant -> constant.name().toLowerCase(Locale.ROOT);
            case Secret secret -> secret.reveal();
            case ConnectionString connection -> connection.reveal();
            default -> value.toString();
        };
    }
}

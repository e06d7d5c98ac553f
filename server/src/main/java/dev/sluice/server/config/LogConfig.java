package dev.sluice.server.config;

import dev.sluice.server.config.yaml.Setting;
import java.util.Map;

/** Logging. */
public record LogConfig(
        @Setting(fallback = "info", meaning = "How much is logged.")
        Level level,

        @Setting(meaning = "Other levels for single loggers, as in `dev.sluice.capture: debug`.")
        Map<String, Level> levels) {

    public enum Level {
        TRACE,
        DEBUG,
        INFO,
        WARN,
        ERROR
    }
}

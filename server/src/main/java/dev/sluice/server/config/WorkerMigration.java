package dev.sluice.server.config;

import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Setting;
import java.time.Duration;

/** Limits of a change of the consumer mode that {@code sluice worker migrate} starts at this node. */
public record WorkerMigration(
        @Setting(fallback = "30s", meaning = "How long a worker watches before it calls a window good or bad.")
        Duration window,

        @Setting(
                fallback = "3",
                meaning =
                        "Good windows in a row, of every worker, in which the new mode is compared before it handles messages.")
        int windows,

        @Setting(
                fallback = "3",
                meaning = "Bad windows in a row, of any worker, after which the change is rolled back.")
        int badWindows,

        @Setting(
                fallback = "10m",
                meaning =
                        "For how long all windows of every worker must be good after the switch; at least `bad_windows` times `window`.")
        Duration burnIn,

        @Setting(fallback = "10000", meaning = "Unfinished messages of a worker; more make a window bad.")
        long maxLag,

        @Setting(fallback = "3", meaning = "Redeliveries in percent of a worker's deliveries; more make a window bad.")
        int maxRedelivered) {

    public WorkerMigration {
        new Rules()
                .require(
                        window.compareTo(Duration.ofMillis(100)) >= 0 && window.compareTo(Duration.ofDays(1)) <= 0,
                        "must be 100ms to 1d",
                        "window")
                .between(1, 10_000, windows, "windows")
                .between(1, 10_000, badWindows, "badWindows")
                .require(burnIn.compareTo(Duration.ofDays(30)) <= 0, "must be at most 30d", "burnIn")
                .require(
                        badWindows < 1 || burnIn.dividedBy(badWindows).compareTo(window) >= 0,
                        "must last at least bad_windows times window, or it ends before it can be rolled back",
                        "burnIn",
                        "window",
                        "badWindows")
                .atLeast(0, maxLag, "maxLag")
                .between(0, 100, maxRedelivered, "maxRedelivered")
                .enforce();
    }
}

package dev.sluice.server.config;

import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Setting;
import java.util.List;
import java.util.Optional;

/** The partitions of a worker's stream: listed subjects, the subjects of a pattern, or hash slots; exactly one of them. */
public record WorkerPartitions(
        @Setting(meaning = "One partition per subject, as in `[orders.eu, orders.us]`.")
        List<String> subjects,

        @Setting(
                meaning =
                        "One partition per subject of the stream that matches, as in `dc.{tool}.{chamber}.completion`; named tokens make the partition's id.")
        Optional<String> pattern,

        @Setting(meaning = "Hash slots by a subject transform of the stream.")
        Hashed hashed) {

    /** Slots the stream's own subject transform spreads its subjects over. */
    public record Hashed(
            @Setting(
                    meaning =
                            "Slots by a subject transform of the stream, whose destination is `<prefix>.<count>.{{partition(<count>,1)}}.…`.")
            Optional<String> prefix,

            @Setting(fallback = "64", meaning = "How many; 64 to 256 are quick.")
            int count) {

        public Hashed {
            new Rules()
                    .require(
                            prefix.isEmpty() || isSubject(prefix.get()),
                            "must be a subject without wildcards, as in orders",
                            "prefix")
                    .between(1, 10_000, count, "count")
                    .enforce();
        }
    }

    public WorkerPartitions {
        new Rules()
                .require(
                        subjects.stream().allMatch(WorkerPartitions::isSubject),
                        "must be subjects without wildcards; for a set that grows, set pattern",
                        "subjects")
                .require(
                        subjects.stream().distinct().count() == subjects.size(),
                        "must not name a subject twice: two partitions would share its messages",
                        "subjects")
                .require(
                        pattern.isEmpty() || isPattern(pattern.get()),
                        "must be a subject with {name} for each token that varies, as in dc.{tool}.{chamber}.completion",
                        "pattern")
                .require(
                        (subjects.isEmpty() ? 0 : 1)
                                        + (pattern.isPresent() ? 1 : 0)
                                        + (hashed.prefix().isPresent() ? 1 : 0)
                                <= 1,
                        "cannot be combined: keep one of subjects, pattern and hashed",
                        "subjects",
                        "pattern",
                        "hashed.prefix")
                .enforce();
    }

    public boolean isSet() {
        return !subjects.isEmpty() || pattern.isPresent() || hashed.prefix().isPresent();
    }

    static boolean isSubject(String text) {
        return text.matches("[^\\s.*>{}\\p{Cntrl}]+(\\.[^\\s.*>{}\\p{Cntrl}]+)*");
    }

    private static boolean isPattern(String text) {
        return text.contains("{") && isSubject(text.replaceAll("\\{[A-Za-z][A-Za-z0-9_]*}", "x"));
    }
}

package dev.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.config.yaml.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Whatever is done to a configuration file, the answer is a list of problems, never an exception. */
class ConfigFuzzTest {

    private static final String SECRET = "sEcReT-hunter2-0123456789";
    private static final List<String> INSERTS = List.of(
            ":",
            "- ",
            "[",
            "]",
            "{",
            "}",
            "\"",
            "'",
            "&a ",
            "*a",
            "!!int ",
            "${",
            "}",
            "${HOME}",
            "\t",
            "\n",
            "# ",
            "|",
            ">",
            "? ",
            "%",
            "@",
            "\u0000",
            "\u2028",
            "é",
            "0x10",
            "1e999",
            "99999999999999999999",
            "-1",
            "null",
            "~",
            "<<: *a",
            "---\n",
            "...\n",
            "true",
            ".nan",
            "5 s",
            "10GB");

    private final String example = example();

    @Property(tries = 1500)
    void mutationsOfTheExampleYieldOnlyProblems(@ForAll long seed) {
        var random = new Random(seed);
        var text = example;
        for (var i = 1 + random.nextInt(6); i > 0; i--) {
            text = mutate(text, random);
        }
        check(text);
    }

    @Property(tries = 500)
    void anyTextYieldsOnlyProblems(@ForAll String text) {
        check(text);
    }

    private static void check(String text) {
        switch (ConfigFile.parse(text, Map.of())) {
            case Reading.Accepted accepted ->
                assertThat(accepted.config().toString()).doesNotContain(SECRET);
            case Reading.Refused refused -> {
                assertThat(refused.problems()).isNotEmpty().isSortedAccordingTo(Problem.BY_LINE);
                assertThat(refused.problems()).allSatisfy(ConfigFuzzTest::isPresentable);
            }
        }
    }

    private static void isPresentable(Problem problem) {
        assertThat(problem.describe("f").lines()).as("one line each").hasSize(1);
        assertThat(problem.describe("f")).doesNotContain("Exception", "java.", "null;", SECRET);
        assertThat(problem.message()).isNotBlank().hasSizeLessThan(1000);
    }

    private static String mutate(String text, Random random) {
        var lines = new ArrayList<>(Arrays.asList(text.split("\n", -1)));
        var at = random.nextInt(lines.size());
        switch (random.nextInt(8)) {
            case 0 -> lines.remove(at);
            case 1 -> lines.add(at, lines.get(random.nextInt(lines.size())));
            case 2 -> lines.set(at, "  ".repeat(random.nextInt(3)) + lines.get(at));
            case 3 -> lines.set(at, lines.get(at).stripLeading());
            case 4 -> lines.set(at, lines.get(at).replaceFirst("#", ""));
            case 5 ->
                lines.set(at, lines.get(at).split(":", 2)[0] + ": " + INSERTS.get(random.nextInt(INSERTS.size())));
            case 6 -> lines.set(at, swap(lines.get(at), random));
            default -> lines.set(at, insert(lines.get(at), random));
        }
        return lines.stream().collect(Collectors.joining("\n"));
    }

    private static String swap(String line, Random random) {
        if (line.length() < 2) {
            return line;
        }
        var at = random.nextInt(line.length() - 1);
        return line.substring(0, at) + line.charAt(at + 1) + line.charAt(at) + line.substring(at + 2);
    }

    private static String insert(String line, Random random) {
        var at = random.nextInt(line.length() + 1);
        return line.substring(0, at) + INSERTS.get(random.nextInt(INSERTS.size())) + line.substring(at);
    }

    private static String example() {
        try {
            return Files.readString(ConfigurationDocsTest.EXAMPLE)
                    .replaceFirst("(?m)^( *)#token:.*$", "$1token: " + SECRET)
                    .replace("mongodb://127.0.0.1", "mongodb://user:" + SECRET + "@127.0.0.1");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}

package dev.sluice.server.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BinderTest {

    enum Colour {
        RED,
        DARK_BLUE
    }

    public record Inner(
            @Setting(fallback = "1", meaning = "Low.") int low,
            @Setting(fallback = "9", meaning = "High.") int high) {
        public Inner {
            new Rules()
                    .atLeast(0, low, "low")
                    .require(high > low, "must be above low", "high", "low")
                    .enforce();
        }
    }

    public record Item(
            @Setting(meaning = "say what it is called") String name) {}

    public record Outer(
            @Setting(fallback = "5s", meaning = "Pause.") Duration longPause,
            @Setting(fallback = "1KiB", meaning = "Size.") DataSize size,
            @Setting(fallback = "red", meaning = "Colour.") Colour colour,
            @Setting(meaning = "Secret.") Optional<Secret> password,
            @Setting(meaning = "Where.") Optional<ConnectionString> where,
            @Setting(meaning = "Inner.") Inner inner,
            @Setting(meaning = "Items.") List<Item> items,
            @Setting(meaning = "Sizes.") Map<String, DataSize> sizes) {}

    private Problems problems = new Problems();

    private Optional<Outer> bind(String text) {
        problems = new Problems();
        return new Binder(new Environment(Map.of("SET", "7s", "PW", "hunter2")), problems).bind(text, Outer.class);
    }

    private List<String> problemsOf(String text) {
        bind(text);
        return problems.sorted().stream().map(problem -> problem.describe("f")).toList();
    }

    @Test
    void snakeKebabAndCamelCaseAreTheSameKey() {
        for (var key : List.of("long_pause", "long-pause", "longPause")) {
            assertThat(bind(key + ": 3m").orElseThrow().longPause()).hasMinutes(3);
        }
        assertThat(bind("colour: dark-blue").orElseThrow().colour()).isEqualTo(Colour.DARK_BLUE);
        assertThat(problems.isEmpty()).isTrue();
    }

    @Test
    void allProblemsComeInOneReportSortedByLine() {
        assertThat(problemsOf("""
                        size: 10GB
                        long_pause: 5
                        colur: red
                        colour: rde
                        inner:
                          low: many
                          heigh: 3
                        items:
                          - name: a
                          - nme: b
                        size: 1KiB
                        """))
                .containsExactly(
                        "f:1: size: '10GB' is not a size; write 10GiB",
                        "f:2: long_pause: '5' has no unit; write 5ms, 5s or 5m, whichever is meant",
                        "f:3: colur: is not a setting; did you mean colour?",
                        "f:4: colour: 'rde' is not one of red, dark_blue; did you mean red?",
                        "f:6: inner.low: 'many' is not a whole number; write digits only, as in 100",
                        "f:7: inner.heigh: is not a setting; did you mean high?",
                        "f:10: items[1].name: must be set: say what it is called",
                        "f:10: items[1].nme: is not a setting; did you mean name?",
                        "f:11: size: is set twice; keep one");
    }

    @Test
    void theSameKeyInTwoSpellingsIsSetTwice() {
        assertThat(problemsOf("long_pause: 1s\nlongPause: 2s\n"))
                .containsExactly("f:2: longPause: is set twice, also as long_pause; keep one");
    }

    @Test
    void aKeyFarFromAllOthersGetsTheListOfThem() {
        assertThat(problemsOf("inner: {zebra: 1}"))
                .containsExactly("f:1: inner.zebra: is not a setting; known here: low, high");
    }

    @Test
    void aBrokenRuleIsReportedAtTheLineOfItsKey() {
        assertThat(problemsOf("inner:\n  high: 0\n  low: -1\n"))
                .containsExactly("f:3: inner.low: must be at least 0, is -1");
        assertThat(problemsOf("inner:\n  low: 5\n  high: 5\n")).contains("f:3: inner.high: must be above low");
    }

    @Test
    void aRuleIsNotJudgedByAValueThatCouldNotBeRead() {
        assertThat(problemsOf("inner: {low: x, high: 0}"))
                .containsExactly("f:1: inner.low: 'x' is not a whole number; write digits only, as in 100");
    }

    @Test
    void wrongShapesSayWhatWouldBeRight() {
        assertThat(problemsOf("items: {name: a}\ninner: 3\nsize: [1]\nlong_pause:\n"))
                .containsExactly(
                        "f:1: items: must be a list; write [a, b], or one `- item` per line",
                        "f:2: inner: must be a section of `key: value` lines",
                        "f:3: size: must be a single value, not a section or a list",
                        "f:4: long_pause: has no value; set one, or remove the key to get the default");
        assertThat(problemsOf("- a\n")).anyMatch(line -> line.contains("must be a section"));
    }

    @Test
    void environmentVariablesFillIn() {
        assertThat(bind("long_pause: ${SET}").orElseThrow().longPause()).hasSeconds(7);
        assertThat(bind("long_pause: ${UNSET:8s}").orElseThrow().longPause()).hasSeconds(8);
        assertThat(bind("items: [{name: 'a${UNSET:-${SET}}b'}]")
                        .orElseThrow()
                        .items()
                        .getFirst()
                        .name())
                .isEqualTo("a-7sb");
        assertThat(bind("items: [{name: '$${SET}'}]")
                        .orElseThrow()
                        .items()
                        .getFirst()
                        .name())
                .isEqualTo("${SET}");
        assertThat(problemsOf("\nlong_pause: ${UNSET}"))
                .containsExactly(
                        "f:2: long_pause: environment variable UNSET is not set; set it, or write ${UNSET:default}");
    }

    @Test
    void secretsAreNeitherQuotedNorPrinted() {
        assertThat(bind("password: hunter2\nwhere: 'mongodb://me:hunter2@127.0.0.1/x?password=hunter2'\n")
                        .orElseThrow()
                        .toString())
                .doesNotContain("hunter2")
                .contains("mongodb://***@127.0.0.1/x?password=***");
        var lines = problemsOf("""
                password: [hunter2]
                where: "hunter2"
                long_pause: ${PW}
                size: "//me:hunter2@host"
                colour: "password=hunter2"
                """);
        assertThat(lines).hasSize(5).noneMatch(line -> line.contains("hunter2"));
    }

    @Test
    void noAdviceRepeatsWhatAVariableHeld() {
        problems = new Problems();
        new Binder(new Environment(Map.of("PIN", "31415926", "SIZE", "31415926GB")), problems)
                .bind("long_pause: ${PIN}\nsize: ${SIZE}\n", Outer.class);
        assertThat(problems.sorted())
                .extracting(Problem::message)
                .containsExactly("'${PIN}' has no unit", "'${SIZE}' is not a size");
    }

    @Test
    void aDefaultMayHoldBracesInPairs() {
        var environment = new Environment(Map.of("SET", "7s"));
        assertThat(environment.expand("${SET:#{a({})}}b")).isEqualTo("7sb");
        assertThat(environment.expand("${UNSET:#{a({})}}b")).isEqualTo("#{a({})}b");
        assertThat(environment.expand("${UNSET:{${SET}}}")).isEqualTo("{7s}");
    }

    @Test
    void badSyntaxIsOneProblemWithItsLineAndWithoutTheText() {
        assertThat(problemsOf("size: 1KiB\ninner: {low: 'hunter2\n"))
                .singleElement()
                .asString()
                .startsWith("f:3: is not valid YAML:")
                .doesNotContain("hunter2");
    }

    @Test
    void aPasswordThatLooksLikeAnAliasOrATagIsNotQuotedEither() {
        assertThat(problemsOf("password: *hunter2"))
                .containsExactly("f:1: is not valid YAML: found undefined alias; put quotes around the value");
        assertThat(problemsOf("password: !hunter2!x y"))
                .singleElement()
                .asString()
                .doesNotContain("hunter2");
    }

    @Test
    void aVariableWithoutQuotesInsideBracesIsHintedAt() {
        assertThat(problemsOf("inner: {low: ${LOW}}"))
                .singleElement()
                .asString()
                .endsWith("inside { } and [ ] a ${NAME} needs quotes around it");
    }

    @Test
    void deepNestingAndAliasBombsAreRefusedQuickly() {
        assertThat(problemsOf("items: " + "[".repeat(100_000)))
                .containsExactly("f:1: is nested more than 32 levels deep; no setting is");
        var bomb = "items: [" + "&a {name: x}" + ", *a".repeat(200) + "]";
        assertThat(problemsOf(bomb)).contains("f:1: uses more than 100 aliases; write the values out");
    }

    @Test
    void mapsKeepTheirOwnKeysAsTheyAreWritten() {
        assertThat(bind("sizes: {some_Key: 1KiB, some-key: 2}").orElseThrow().sizes())
                .containsOnly(Map.entry("some_Key", new DataSize(1024)), Map.entry("some-key", new DataSize(2)));
        assertThat(problemsOf("sizes:\n  a: 1KiB\n  b: many\n"))
                .singleElement()
                .asString()
                .startsWith("f:3: sizes.b: 'many' is not a size");
    }

    @Test
    void anAnchorMayBeUsedTwice() {
        assertThat(bind("items: [&a {name: x}, *a]").orElseThrow().items()).hasSize(2);
    }

    @Test
    void aSectionThatContainsItselfIsRefusedWithoutLooping() {
        assertThat(problemsOf("inner: &a {low: *a}")).isNotEmpty();
    }
}

package dev.sluice.server.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.worker.LaneStatus.Waiting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The alert rules, the recording rules and the dashboard of {@code docs/} use metrics that exist. */
class WorkerDashboardTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final String ALERTS = "prometheus/worker-alerts.yaml";
    private static final String OBJECTIVES = "prometheus/worker-slo.yaml";
    private static final String DASHBOARD = "grafana/worker.json";

    private static final Pattern METRIC = Pattern.compile("\\bsluice_worker[a-zA-Z0-9_:]*");
    private static final Pattern REASON = Pattern.compile("reason=\"([^\"]*)\"");

    /** JSON is YAML. */
    private static Object read(String file) throws Exception {
        return new Load(LoadSettings.builder().build()).loadFromString(Files.readString(DOCS.resolve(file)));
    }

    /** All values of this key, however deep. */
    private static List<String> values(Object node, String key) {
        List<String> found = new ArrayList<>();
        if (node instanceof Map<?, ?> map) {
            map.forEach((name, value) -> {
                if (name.equals(key) && value instanceof String text) {
                    found.add(text);
                }
                found.addAll(values(value, key));
            });
        } else if (node instanceof List<?> list) {
            list.forEach(value -> found.addAll(values(value, key)));
        }
        return found;
    }

    private static List<String> metrics(String file) throws Exception {
        return values(read(file), "expr").stream()
                .flatMap(expression -> METRIC.matcher(expression).results())
                .map(MatchResult::group)
                .distinct()
                .toList();
    }

    /** A histogram is one name of the list and three in expressions. */
    private static Stream<String> inExpressions(String name) {
        boolean histogram = WorkerMetricsTest.NAMES.contains(name + "_max") && name.endsWith("_seconds");
        return histogram ? Stream.of(name + "_bucket", name + "_count", name + "_sum") : Stream.of(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {ALERTS, OBJECTIVES, DASHBOARD})
    void everyMetricInAnExpressionExists(String file) throws Exception {
        List<String> known = new ArrayList<>(WorkerMetricsTest.NAMES.stream()
                .flatMap(WorkerDashboardTest::inExpressions)
                .toList());
        known.addAll(values(read(OBJECTIVES), "record"));
        assertThat(metrics(file)).isNotEmpty().isSubsetOf(known);
    }

    @Test
    void theReasonsOfWaitingPartitionsExist() throws Exception {
        List<String> reasons = Arrays.stream(Waiting.values())
                .map(reason -> reason.name().toLowerCase(Locale.ROOT))
                .toList();
        assertThat(values(read(ALERTS), "expr"))
                .flatMap(expression -> REASON.matcher(expression)
                        .results()
                        .map(found -> found.group(1))
                        .toList())
                .contains("gap", "dead_letters")
                .isSubsetOf(reasons);
    }

    @Test
    void everyAlertSaysWhatToDo() throws Exception {
        Object alerts = read(ALERTS);
        assertThat(values(alerts, "alert"))
                .containsExactly(
                        "SluiceWorkerRedeliveries",
                        "SluiceWorkerSubjectsNearLimit",
                        "SluiceWorkerUpdateFailures",
                        "SluiceWorkerBacklog",
                        "SluiceWorkerGap",
                        "SluiceWorkerDeadLettersBlocked",
                        "SluiceWorkerDeadLetters",
                        "SluiceWorkerProblem");
        assertThat(values(alerts, "summary")).hasSize(8);
        assertThat(values(alerts, "description")).hasSize(8);
        assertThat(values(alerts, "severity")).hasSize(8).isSubsetOf("warning", "critical");
    }

    @Test
    void theDashboardShowsEveryMetric() throws Exception {
        List<String> shown = metrics(DASHBOARD);
        assertThat(WorkerMetricsTest.NAMES)
                .filteredOn(name -> !name.endsWith("_seconds_max") && !name.contains("_quantile_"))
                .allMatch(name -> inExpressions(name).anyMatch(shown::contains));
    }
}

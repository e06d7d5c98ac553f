package dev.sluice.server;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The directions of the packages, over the whole product. AGENTS.md draws the same picture. */
class ArchitectureTest {
    private static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.sluice");

    /** What each package of core may use of core, besides itself. */
    private static final Map<String, Set<String>> CORE = Map.of(
            "net", Set.of(),
            "model", Set.of(),
            "checkpoint", Set.of("model"),
            "log", Set.of("model", "checkpoint"),
            "capture", Set.of("model", "checkpoint", "log"),
            "stream", Set.of("model", "log"),
            "match", Set.of("model"),
            "deliver", Set.of("model"),
            "route", Set.of("model", "log", "match", "deliver"),
            "coordinate", Set.of("model"));

    @Test
    void theWholeProductIsLookedAt() {
        assertThat(Stream.of("core.model", "devmongo", "testkit", "server")
                        .map(module -> "dev.sluice." + module.replace("core.", "")))
                .allMatch(ALL::containPackage);
    }

    @TestFactory
    Stream<DynamicTest> corePackagesFollowTheFlow() {
        return CORE.entrySet().stream()
                .map(allowed -> DynamicTest.dynamicTest(
                        allowed.getKey(),
                        () -> classes()
                                .that()
                                .resideInAPackage(root(allowed.getKey()))
                                .should()
                                .onlyDependOnClassesThat()
                                .resideInAnyPackage(mayUse(allowed.getKey(), allowed.getValue()))
                                .allowEmptyShould(true)
                                .check(ALL)));
    }

    private static String[] mayUse(String self, Set<String> others) {
        return Stream.of(
                        Stream.of("java..", "org.bson..", "org.slf4j..", "org.jspecify..", root(self)),
                        others.stream().map(ArchitectureTest::root))
                .flatMap(packages -> packages)
                .toArray(String[]::new);
    }

    private static String root(String name) {
        return "dev.sluice." + name + "..";
    }

    @Test
    void nothingDependsOnTheServer() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.sluice.server..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.sluice.server..")
                .check(ALL);
    }

    @Test
    void productionCodeDoesNotDependOnTheTestkit() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.sluice.testkit..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.sluice.testkit..")
                .check(ALL);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.sluice.(*)..").should().beFreeOfCycles().check(ALL);
    }

    /** Promise 5: a listening socket that did not pass dev.sluice.net.Listening would be open to the world one day. */
    @Test
    void onlyTheNetPackageOpensListeningSockets() {
        List<String> opened = ALL.stream()
                .filter(type -> !type.getPackageName().equals("dev.sluice.net"))
                .filter(type -> !type.getPackageName().startsWith("dev.sluice.testkit"))
                .flatMap(type -> type.getCodeUnitAccessesFromSelf().stream())
                .filter(ArchitectureTest::opensAListeningSocket)
                .map(JavaCodeUnitAccess::getDescription)
                .toList();
        assertThat(opened).isEmpty();
    }

    private static boolean opensAListeningSocket(JavaCodeUnitAccess<?> call) {
        JavaClass owner = call.getTargetOwner();
        boolean binds = call.getName().equals("bind") || call.getName().equals("<init>");
        return binds
                && (owner.isAssignableTo(java.net.ServerSocket.class)
                        || owner.isAssignableTo(java.nio.channels.ServerSocketChannel.class)
                        || owner.isAssignableTo(java.nio.channels.AsynchronousServerSocketChannel.class)
                        || owner.isAssignableTo("com.sun.net.httpserver.HttpServer"));
    }

    @Test
    void namesSayWhatAClassIs() {
        noClasses()
                .that(describe("are ours", type -> type.getPackageName().startsWith("dev.sluice")))
                .should()
                .haveNameMatching(".*(Impl|Utils?|Manager|Helper|Processor)$")
                .check(ALL);
    }

    @Test
    void everyPackageSaysWhatItIsAndIsNullMarked() {
        List<String> silent = ALL.stream()
                .map(JavaClass::getPackage)
                .distinct()
                .filter(folder -> !folder.isAnnotatedWith("org.jspecify.annotations.NullMarked"))
                .map(folder -> folder.getName())
                .toList();
        assertThat(silent).isEmpty();
    }
}

package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Drives the root script in a tree of its own, with JDKs and a Maven made of shell scripts. */
class LauncherTest {

    private static final Path SCRIPT = Path.of("").toAbsolutePath().getParent().resolve("sluice");

    @TempDir
    Path folder;

    private Path tree;
    private Path tools;
    private Path jdks;
    private Path source;
    private Path stamp;

    private record Result(int exitCode, List<String> out, List<String> err) {}

    /** A tree with spaces in its path, built a minute ago from sources two minutes old, and a JDK 25. */
    @BeforeEach
    void aBuiltTree() throws IOException {
        tree = Files.createDirectories(folder.resolve("a tree"));
        tools = Files.createDirectories(folder.resolve("tools"));
        jdks = Files.createDirectories(folder.resolve("java homes"));
        for (var tool : List.of("bash", "dirname", "readlink", "find", "touch")) {
            Files.createSymbolicLink(tools.resolve(tool), which(tool));
        }
        Files.copy(SCRIPT, tree.resolve("sluice"));
        source = Files.createDirectories(tree.resolve("core/src/main/java")).resolve("A.java");
        stamp = Files.createDirectories(tree.resolve("server/target")).resolve("sluice.classpath");
        for (var file : List.of(source, tree.resolve("pom.xml"), tree.resolve("server/pom.xml"))) {
            Files.writeString(file, "");
        }
        age(tree, 120);
        Files.writeString(stamp, "lib/a.jar:lib/b c.jar");
        Files.writeString(tree.resolve("server/target/sluice-server.jar"), "");
        age(tree.resolve("server/target"), 60);
        jdk("jdk-25", "25.0.1", "printf '%s\\n' \"$@\"");
        maven("");
    }

    /** A Maven that notes its call, builds what every command needs, and says this. */
    private void maven(String output) throws IOException {
        var stamps = "server/target/sluice.classpath devmongo/target/devmongo.classpath bench/target/bench.classpath";
        Files.createDirectories(tree.resolve("devmongo/target"));
        Files.createDirectories(tree.resolve("bench/target"));
        script(
                tools.resolve("mvn"),
                "printf '%s' '" + output + "'; echo \"$PWD: mvn $*\" >>\"$HOME/mvn.txt\"; touch " + stamps);
    }

    private List<String> builds() throws IOException {
        return Files.readAllLines(folder.resolve("mvn.txt"));
    }

    @Test
    void aBuiltTreeRunsWithItsClassPathAndArguments() throws Exception {
        var result = sluice(Map.of(), "check", "--config", "a b.yaml");
        assertThat(result.err()).isEmpty();
        assertThat(result.out())
                .containsSubsequence(
                        "-cp",
                        target("sluice-server.jar") + ":" + target("lib/a.jar") + ":" + target("lib/b c.jar"),
                        "dev.sluice.server.cli.Sluice",
                        "check",
                        "--config",
                        "a b.yaml");
    }

    @Test
    void theExitCodeIsThatOfTheProgram() throws Exception {
        jdk("jdk-25", "25", "exit 7");
        assertThat(sluice(Map.of()).exitCode()).isEqualTo(7);
    }

    @Test
    void withoutAJdkItSaysWhatToDo() throws Exception {
        Files.delete(jdks.resolve("jdk-25/bin/javac"));
        jdk("jdk-17", "17.0.1", "exit 7");
        jdk("jdk-8", "1.8.0_402", "exit 7");
        var result = sluice(Map.of("JAVA_HOME", jdks.resolve("jdk-17").toString()));
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .containsExactly(
                        "sluice: there is no JDK 25 or newer in JAVA_HOME, on the PATH or in the usual folders;"
                                + " install one, or set JAVA_HOME to it");
    }

    @Test
    void aNewEnoughJavaHomeComesFirst() throws Exception {
        jdk("mine", "26-ea", "echo mine");
        assertThat(sluice(Map.of("JAVA_HOME", jdks.resolve("mine").toString())).out())
                .containsExactly("mine");
    }

    @Test
    void aJdkOnThePathIsFoundThroughItsLink() throws Exception {
        jdk("on-path", "25", "echo on path");
        Files.createSymbolicLink(tools.resolve("java"), jdks.resolve("on-path/bin/java"));
        assertThat(sluice(Map.of("SLUICE_JDK_FOLDERS", "")).out()).containsExactly("on path");
    }

    @Test
    void itTellsOtherScriptsWhichJdkItFoundAndDoesNothingElse() throws Exception {
        Files.delete(stamp);
        var result = sluice(Map.of("SLUICE_PRINT_JDK", "1"));
        assertThat(result.out()).containsExactly(jdks.resolve("jdk-25").toString());
        assertThat(result.err()).isEmpty();
    }

    @Test
    void itWorksThroughSymbolicLinksFromAnywhere() throws Exception {
        var links = Files.createDirectories(folder.resolve("links"));
        Files.createSymbolicLink(links.resolve("absolute"), tree.resolve("sluice"));
        Files.createSymbolicLink(links.resolve("relative"), Path.of("absolute"));
        var result = run(links.resolve("relative"), folder, Map.of(), "--version");
        assertThat(result.err()).isEmpty();
        var jar = target("sluice-server.jar");
        assertThat(result.out()).contains("--version").anyMatch(line -> line.startsWith(jar));
    }

    @Test
    void changedSourcesAreBuiltOnceAndAnnouncedOnStandardError() throws Exception {
        Files.writeString(source, "changed");
        var first = sluice(Map.of(), "--version");
        assertThat(first.exitCode()).isZero();
        assertThat(first.err()).first().asString().startsWith("sluice: building");
        assertThat(builds()).singleElement().asString().startsWith(tree.toRealPath() + ": mvn ");
        assertThat(first.out()).contains("--version").noneMatch(line -> line.startsWith("["));
        assertThat(sluice(Map.of(), "--version").err()).isEmpty();
    }

    @Test
    void aBuildSaysWhereItIsAndHowLongItTakesWithoutEscapeCodes() throws Exception {
        maven(
                "[INFO] Scanning\n[\033[1;34mINFO\033[m] Building Sluice :: core 0.1.0-SNAPSHOT        [2/15]\n"
                        + "[INFO] Building jar: x.jar\n[WARNING] nothing to fear\n[INFO] Building Sluice :: server 0.1.0-SNAPSHOT [15/15]\n\033[0m\033[0m");
        Files.writeString(source, "changed");
        var first = sluice(Map.of(), "--version").err();
        assertThat(first.getFirst()).contains("first build", "MB", "minutes");
        assertThat(first.subList(1, first.size()))
                .satisfiesExactly(
                        line -> assertThat(line).matches("sluice:   module 2 of 15, core \\(\\d+ s\\)"),
                        line -> assertThat(line).matches("sluice:   module 15 of 15, server \\(\\d+ s\\)"),
                        line -> assertThat(line).matches("sluice: built in \\d+ s"));
        age(source, -60);
        assertThat(sluice(Map.of(), "--version").err().getFirst())
                .matches("sluice: building: the last build took \\d+ s");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            run --config x  | server
            status          | server
            demo            | server,devmongo
            devmongo        | server,devmongo
            bench list      | server,bench,bench-peers,testkit
            """)
    void aCommandBuildsOnlyWhatItRuns(String arguments, String modules) throws Exception {
        Files.writeString(source, "changed");
        assertThat(sluice(Map.of("SLUICE_DRY_RUN", "1"), arguments.split(" ")).out())
                .first()
                .asString()
                .startsWith("build " + tree.toRealPath() + ": mvn ")
                .contains(" -Dsluice.withoutTests ")
                .endsWith(" package -pl " + modules + " -am");
    }

    @Test
    void aBuiltServerIsBuiltAgainForACommandThatNeedsMore() throws Exception {
        var root = tree.toRealPath();
        assertThat(sluice(Map.of(), "run").err()).isEmpty();
        var demo = sluice(Map.of(), "demo");
        assertThat(demo.err()).first().asString().startsWith("sluice: building");
        assertThat(demo.out()).anyMatch(line -> line.endsWith(":" + root + "/devmongo/target/classes"));
        assertThat(sluice(Map.of(), "demo").err()).isEmpty();
        assertThat(sluice(Map.of(), "bench", "list").out())
                .anyMatch(line -> line.contains(":" + root + "/bench/target/classes:"));
        assertThat(builds()).hasSize(1);
    }

    @Test
    void whatMakesABuildStale() throws Exception {
        assertThat(wouldBuild()).as("nothing changed").isFalse();
        Files.delete(source);
        assertThat(wouldBuild()).as("a source was removed").isTrue();
        age(tree.resolve("core"), 120);
        assertThat(wouldBuild()).isFalse();
        Files.writeString(tree.resolve("server/pom.xml"), "changed");
        assertThat(wouldBuild()).as("a pom changed").isTrue();
        age(tree.resolve("server/pom.xml"), 120);
        Files.createDirectories(tree.resolve("core/src/test/java"));
        age(tree.resolve("core/src"), 120);
        Files.writeString(tree.resolve("core/src/test/java/ATest.java"), "changed");
        assertThat(wouldBuild()).as("only a test changed").isFalse();
        Files.delete(stamp);
        assertThat(wouldBuild()).as("never built").isTrue();
    }

    @Test
    void withoutMavenItSaysSoOnlyWhenABuildIsNeeded() throws Exception {
        Files.delete(tools.resolve("mvn"));
        assertThat(sluice(Map.of()).exitCode()).isZero();
        Files.writeString(source, "changed");
        var result = sluice(Map.of());
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).singleElement().asString().contains("no mvn on the PATH");
    }

    @Test
    void aFailedBuildRunsNothing() throws Exception {
        script(
                tools.resolve("mvn"),
                "echo 'JAVA_HOME is odd'; echo '[WARNING] a hint'; echo 'of two lines';"
                        + " echo '[ERROR] A.java:[1,1] reached end of file'; echo 'a stack trace' >&2; exit 1");
        Files.writeString(source, "changed");
        var result = sluice(Map.of());
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err().subList(1, result.err().size()))
                .containsExactly(
                        "JAVA_HOME is odd",
                        "[ERROR] A.java:[1,1] reached end of file",
                        "a stack trace",
                        "sluice: the build failed; fix what Maven reports above");
    }

    @Test
    void onlyCommandsThatEndSoonGetTheSimpleCompiler() throws Exception {
        assertThat(sluice(Map.of(), "check").out()).contains("-XX:TieredStopAtLevel=1");
        assertThat(sluice(Map.of(), "run").out()).doesNotContain("-XX:TieredStopAtLevel=1");
    }

    /** Whatever a server out of memory was doing is in an unknown state: it ends, and is started again. */
    @Test
    void aServerOutOfMemoryEnds() throws Exception {
        assertThat(sluice(Map.of(), "run").out()).contains("-XX:+ExitOnOutOfMemoryError");
        assertThat(sluice(Map.of(), "demo").out()).contains("-XX:+ExitOnOutOfMemoryError");
        assertThat(sluice(Map.of(), "tail").out()).doesNotContain("-XX:+ExitOnOutOfMemoryError");
    }

    private boolean wouldBuild() throws Exception {
        var out = sluice(Map.of("SLUICE_DRY_RUN", "1")).out();
        assertThat(out).last().asString().startsWith("run ");
        return out.size() == 2 && out.getFirst().startsWith("build ");
    }

    private String target(String file) throws IOException {
        return tree.toRealPath().resolve("server/target").resolve(file).toString();
    }

    private Result sluice(Map<String, String> environment, String... arguments) throws Exception {
        return run(tree.resolve("sluice"), folder, environment, arguments);
    }

    private Result run(Path program, Path directory, Map<String, String> environment, String... arguments)
            throws Exception {
        var command = new ArrayList<>(List.of(tools.resolve("bash").toString(), program.toString()));
        command.addAll(List.of(arguments));
        var out = folder.resolve("out.txt");
        var err = folder.resolve("err.txt");
        var builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().clear();
        builder.environment()
                .putAll(Map.of(
                        "PATH", tools.toString(), "HOME", folder.toString(), "SLUICE_JDK_FOLDERS", jdks.toString()));
        builder.environment().putAll(environment);
        var exitCode = builder.start().waitFor();
        return new Result(exitCode, Files.readAllLines(out), Files.readAllLines(err));
    }

    private void jdk(String name, String version, String java) throws IOException {
        var bin = Files.createDirectories(jdks.resolve(name).resolve("bin"));
        script(bin.resolve("java"), java);
        script(bin.resolve("javac"), "exit 0");
        Files.writeString(
                jdks.resolve(name).resolve("release"), "IMPLEMENTOR=\"Nobody\"\nJAVA_VERSION=\"" + version + "\"\n");
    }

    private static void script(Path file, String body) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static void age(Path root, long seconds) throws IOException {
        try (var files = Files.walk(root)) {
            for (var file : files.toList()) {
                Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(seconds)));
            }
        }
    }

    private static Path which(String tool) throws IOException {
        var process = new ProcessBuilder("/bin/sh", "-c", "command -v " + tool).start();
        return Path.of(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
    }
}

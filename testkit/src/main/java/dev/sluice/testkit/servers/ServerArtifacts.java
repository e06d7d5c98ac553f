package dev.sluice.testkit.servers;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The servers that come from Maven Central: jars in Maven's local repository, listed by the testkit's build in
 * {@code target/server-artifacts.txt}, beside the testkit's classes or its jar.
 */
record ServerArtifacts(List<Path> jars) {

    static ServerArtifacts ofBuild() throws IOException {
        var list = besideTheseClasses("server-artifacts.txt");
        if (Files.notExists(list)) {
            throw new IOException("%s is not there: build the module testkit with Maven".formatted(list));
        }
        return new ServerArtifacts(
                Files.readAllLines(list).stream().map(Path::of).toList());
    }

    /** The one jar whose file name is the artifact's name and a version. */
    Path jar(String artifact) throws IOException {
        return jars.stream()
                .filter(jar -> jar.getFileName().toString().matches(artifact + "-\\d.*\\.jar"))
                .findFirst()
                .orElseThrow(() -> new IOException("%s is not among the testkit's artifacts".formatted(artifact)));
    }

    /** The artifact's name and version, to name what was unpacked from it. */
    static String nameAndVersion(Path jar) {
        return jar.getFileName().toString().replaceFirst("\\.jar$", "");
    }

    String classPath() {
        return String.join(File.pathSeparator, jars.stream().map(Path::toString).toList());
    }

    private static Path besideTheseClasses(String file) throws IOException {
        try {
            var classes = Path.of(ServerArtifacts.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return classes.resolveSibling(file);
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }
}

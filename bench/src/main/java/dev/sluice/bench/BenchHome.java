package dev.sluice.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The source tree this runs from, told by {@code ./sluice}: what only benchmarks need lies there and on no class path of the
 * product.
 */
record BenchHome(Path root) {
    private static final String PROPERTY = "sluice.home";

    static BenchHome find() {
        String home = System.getProperty(PROPERTY);
        if (home == null) {
            throw new IllegalStateException("Run this benchmark by ./sluice bench, from a source tree: it needs"
                    + " servers and peers that are built there.");
        }
        return new BenchHome(Path.of(home));
    }

    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** The class path of the testkit, whose servers are used. */
    String testkit() throws IOException {
        return read("testkit/target/runtime-classpath.txt");
    }

    /** The class path of those that we measure ourselves by. */
    String peers() throws IOException {
        return root.resolve("bench-peers/target/classes")
                + File.pathSeparator
                + read("bench-peers/target/peers.classpath");
    }

    /** Our own. */
    static String own() {
        return System.getProperty("java.class.path");
    }

    private String read(String file) throws IOException {
        Path path = root.resolve(file);
        if (Files.notExists(path)) {
            throw new IOException(
                    path + " is not there; build it: mvn -q package -DskipTests -pl testkit,bench-peers -am");
        }
        return Files.readString(path).strip();
    }
}

package dev.sluice.testkit.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The machine's Node.js and its npm. Neither is fetched: Debian's reads parts of itself from absolute paths, so it cannot
 * run unpacked, and nodejs.org is no registry. What a test needs beyond it comes from npm, by a lock file.
 */
public record NodeProgram(Path node, Path npm) {
    private static final int OLDEST = 18;

    /** Empty where there is no Node.js 18 or newer with npm on the PATH. */
    public static Optional<NodeProgram> find() {
        var node = new ProgramOnPath("node").find(version -> version.isAtLeast(OLDEST, 0));
        var npm = new ProgramOnPath("npm").find(version -> true);
        return node.flatMap(program -> npm.map(client -> new NodeProgram(program, client)));
    }

    /** The folder {@code node_modules} with what a project's lock file names, fetched once and kept between runs. */
    public Path modulesOf(Path project) throws IOException {
        var lock = Files.readAllBytes(project.resolve("package-lock.json"));
        return ServerCache.ofUser()
                .entry("node-modules-" + digest(lock), folder -> fetch(project, folder))
                .resolve("node_modules");
    }

    private void fetch(Path project, Path folder) throws IOException {
        for (var file : List.of("package.json", "package-lock.json")) {
            Files.copy(project.resolve(file), folder.resolve(file));
        }
        Tool.in(folder).run(List.of(npm.toString(), "ci", "--ignore-scripts", "--no-audit", "--no-fund"));
    }

    private static String digest(byte[] content) {
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(content);
            return HexFormat.of().formatHex(hash, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}

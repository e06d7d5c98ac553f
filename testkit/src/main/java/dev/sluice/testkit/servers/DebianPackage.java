package dev.sluice.testkit.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A package of a newer Debian suite than the machine's own, unpacked into the cache and not installed.
 *
 * <p>It is fetched with a private apt configuration in a temporary folder: the machine's mirrors and its way of
 * reaching them ({@code Acquire::…}: proxies and the like), nothing else of the machine's. Signatures are checked with
 * Debian's keyring, which also tells Debian's mirrors from other repositories. Nothing needs root.
 */
record DebianPackage(String name, String suite) {

    /** What to do when a package cannot be had; to follow "…, or " */
    static final String REMEDY = "let apt and dpkg fetch it: with Debian's keyring and a Debian mirror in reach";

    private static final Path KEYRING = Path.of("/usr/share/keyrings/debian-archive-keyring.gpg");
    private static final Duration A_MONTH = Duration.ofDays(30);
    private static final Pattern RELEASE_FILE = Pattern.compile("^'(\\S+)/dists/\\S+/InRelease'", Pattern.MULTILINE);

    /** The folder that holds the package's files, as if it were the root directory. */
    Path unpacked() throws IOException {
        return ServerCache.ofUser()
                .entry(name + "-" + suite, isReleased() ? ServerCache.FOREVER : A_MONTH, this::fetch);
    }

    /**
     * The same with all that the package needs and this machine does not have: for programs that need libraries. Its
     * suite is the machine's own, whose libraries fit.
     */
    Path unpackedWithDependencies() throws IOException {
        return ServerCache.ofUser()
                .entry(
                        name + "-" + suite + "-with-dependencies",
                        folder -> fetch(
                                folder,
                                List.of(
                                        "apt-get",
                                        "--quiet",
                                        "--yes",
                                        "--no-install-recommends",
                                        "--download-only",
                                        "install",
                                        name)));
    }

    /** The name of this machine's suite, such as {@code bookworm}. */
    static String suiteOfThisMachine() throws IOException {
        try (var lines = Files.lines(Path.of("/etc/os-release"))) {
            return lines.filter(line -> line.startsWith("VERSION_CODENAME="))
                    .map(line -> line.substring(line.indexOf('=') + 1).replace("\"", ""))
                    .findFirst()
                    .orElseThrow(() -> new IOException("/etc/os-release names no suite of Debian"));
        }
    }

    /** A released suite keeps its versions; sid moves on. */
    private boolean isReleased() {
        return !suite.equals("sid");
    }

    private void fetch(Path folder) throws IOException {
        fetch(folder, List.of("apt-get", "--quiet", "download", name));
    }

    private void fetch(Path folder, List<String> download) throws IOException {
        if (Files.notExists(KEYRING)) {
            throw new IOException(KEYRING + " is not there, it is of the package debian-archive-keyring");
        }
        // apt's own user must be able to read this.
        var apt = Files.createTempDirectory(
                "sluice-apt-", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        try {
            var tool =
                    new Tool(apt, Map.of("APT_CONFIG", apt.resolve("apt.conf").toString()));
            configure(apt);
            updateFromAnyMirror(apt, tool);
            tool.run(download);
            for (var fetched : List.of(apt, apt.resolve("archives"))) {
                try (var packages = Files.newDirectoryStream(fetched, "*.deb")) {
                    for (var file : packages) {
                        tool.run(List.of("dpkg", "--extract", file.toString(), folder.toString()));
                    }
                }
            }
        } finally {
            Folders.delete(apt);
        }
    }

    private static void configure(Path apt) throws IOException {
        Files.createDirectories(apt.resolve("lists/partial"));
        Files.createDirectories(apt.resolve("archives/partial"));
        var acquire = Tool.in(apt)
                .run(List.of("apt-config", "dump"))
                .lines()
                .filter(line -> line.startsWith("Acquire::") && !line.startsWith("Acquire::IndexTargets"))
                .collect(Collectors.joining("\n"));
        Files.writeString(apt.resolve("apt.conf"), """
                %s
                #clear Acquire::Languages;
                Acquire::Languages "none";
                Dir::Etc::main "/dev/null";
                Dir::Etc::parts "/dev/null";
                Dir::Etc::sourcelist "%2$s/sources.list";
                Dir::Etc::sourceparts "/dev/null";
                Dir::Etc::preferences "/dev/null";
                Dir::Etc::preferencesparts "/dev/null";
                Dir::State "%2$s";
                Dir::Cache "%2$s";
                """.formatted(acquire, apt));
    }

    private void updateFromAnyMirror(Path apt, Tool tool) throws IOException {
        var architecture = tool.run(List.of("dpkg", "--print-architecture")).strip();
        tryEach(mirrorsOfThisMachine(apt), mirror -> {
            var source = "deb [arch=%s signed-by=%s] %s %s main\n".formatted(architecture, KEYRING, mirror, suite);
            Files.writeString(apt.resolve("sources.list"), source);
            tool.run(List.of("apt-get", "--quiet", "--error-on=any", "update"));
        });
    }

    interface Attempt {
        void at(String mirror) throws IOException;
    }

    /** Up to the first mirror that works; a failure says how the last one failed. */
    void tryEach(List<String> mirrors, Attempt attempt) throws IOException {
        var failure = new IOException("this machine's apt configuration names no Debian mirror");
        for (var mirror : mirrors) {
            try {
                attempt.at(mirror);
                return;
            } catch (IOException e) {
                var last = String.valueOf(e.getMessage()).lines().toList().getLast();
                failure = new IOException("none of %d mirrors has %s: %s".formatted(mirrors.size(), suite, last), e);
            }
        }
        throw failure;
    }

    private static List<String> mirrorsOfThisMachine(Path apt) throws IOException {
        var uris = Tool.in(apt).run(List.of("apt-get", "update", "--print-uris"));
        return RELEASE_FILE
                .matcher(uris)
                .results()
                .map(found -> found.group(1))
                .distinct()
                .toList();
    }
}

package dev.sluice.testkit.servers;

import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/** A real browser without a window: Chromium on the PATH, else Debian's, unpacked into the cache. */
public final class Chromium implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(60);

    private final Path profile;
    private final ChildProcess process;
    private final URI devTools;

    private Chromium(Path profile, ChildProcess process, URI devTools) {
        this.profile = profile;
        this.process = process;
        this.devTools = devTools;
    }

    /** @throws ServerUnavailableException saying what to install, where there is no browser to be had */
    public static Chromium start() {
        try {
            var profile = Files.createTempDirectory("sluice-chromium-");
            var process = ChildProcess.start(spec(profile));
            var said = process.awaitLine("DevTools listening on (ws://\\S+)", START);
            return new Chromium(profile, process, URI.create(said.group(1)));
        } catch (IOException e) {
            throw new ServerUnavailableException(
                    "chromium does not start (%s): install chromium on the PATH, or %s."
                            .formatted(e.getMessage(), DebianPackage.REMEDY),
                    e);
        }
    }

    private static ProcessSpec spec(Path profile) throws IOException {
        var installed = new ProgramOnPath("chromium").find(version -> true);
        if (installed.isPresent()) {
            return ProcessSpec.of("chromium", command(installed.get(), profile));
        }
        var root = new DebianPackage("chromium", DebianPackage.suiteOfThisMachine()).unpackedWithDependencies();
        return ProcessSpec.of("chromium", command(root.resolve("usr/lib/chromium/chromium"), profile))
                .withEnvironment("LD_LIBRARY_PATH", librariesIn(root));
    }

    private static String[] command(Path program, Path profile) {
        return List.of(
                        program.toString(),
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--window-size=1100,900",
                        "--user-data-dir=" + profile,
                        "--remote-debugging-port=0",
                        "about:blank")
                .toArray(String[]::new);
    }

    private static String librariesIn(Path root) throws IOException {
        try (var files = Files.walk(root.resolve("usr/lib"))) {
            return files.filter(file -> file.getFileName().toString().contains(".so"))
                    .map(file -> String.valueOf(file.getParent()))
                    .distinct()
                    .collect(Collectors.joining(File.pathSeparator));
        }
    }

    /** A tab that shows this address. */
    public ChromiumPage open(String url) {
        return ChromiumPage.open(devTools, url);
    }

    @Override
    public void close() {
        process.close();
        try {
            Folders.delete(profile);
        } catch (IOException e) {
            // Its files are in a temporary folder.
        }
    }
}

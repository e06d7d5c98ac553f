package dev.sluice.testkit.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Whether the tests run as root, which some servers refuse and others want to be told. */
final class Root {

    private Root() {}

    static boolean isUser() throws IOException {
        return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    }
}

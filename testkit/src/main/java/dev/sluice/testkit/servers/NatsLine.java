package dev.sluice.testkit.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Predicate;

/** The releases of the NATS server that tests run against. */
public enum NatsLine {
    /** What the machine has, if it is 2.10 or newer, else 2.10. */
    ANY("trixie", version -> version.isAtLeast(2, 10)),
    /** 2.10, the oldest that has what Sluice needs ({@code FilterSubjects}). */
    V2_10("trixie", new ProgramOnPath.Version(2, 10)::equals),
    /** The newest that Debian has. */
    NEWEST("sid", version -> false);

    private final String suite;
    private final Predicate<ProgramOnPath.Version> suits;

    NatsLine(String suite, Predicate<ProgramOnPath.Version> suits) {
        this.suite = suite;
        this.suits = suits;
    }

    Path program() throws IOException {
        var installed = new ProgramOnPath("nats-server").find(suits);
        return installed.isPresent()
                ? installed.get()
                : new DebianPackage("nats-server", suite).unpacked().resolve("usr/sbin/nats-server");
    }
}

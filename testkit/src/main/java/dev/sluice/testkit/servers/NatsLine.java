package dev.sluice.testkit.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Predicate;

/** The releases of the NATS server that tests run against: the first on the PATH that suits, else Debian's. */
public enum NatsLine {
    /** 2.10 or newer. */
    ANY("2.10 or newer", version -> version.isAtLeast(2, 10), "trixie"),
    /** 2.10, the oldest that has what Sluice needs ({@code FilterSubjects}). */
    V2_10("2.10", new ProgramOnPath.Version(2, 10)::equals, "trixie"),
    /** Newer than 2.10; of Debian's, the newest of this month. */
    NEWEST("2.11 or newer", version -> version.isAtLeast(2, 11), "sid");

    private final String versions;
    private final Predicate<ProgramOnPath.Version> suits;
    private final String suite;

    NatsLine(String versions, Predicate<ProgramOnPath.Version> suits, String suite) {
        this.versions = versions;
        this.suits = suits;
        this.suite = suite;
    }

    boolean suits(ProgramOnPath.Version version) {
        return suits.test(version);
    }

    String remedy() {
        return "install nats-server %s on the PATH, or %s".formatted(versions, DebianPackage.REMEDY);
    }

    /** The program to run; fetched when the machine has none that suits. */
    public Path program() throws IOException {
        var installed = new ProgramOnPath("nats-server").find(suits);
        return installed.isPresent()
                ? installed.get()
                : new DebianPackage("nats-server", suite).unpacked().resolve("usr/sbin/nats-server");
    }
}

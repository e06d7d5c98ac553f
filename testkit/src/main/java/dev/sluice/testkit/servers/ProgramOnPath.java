package dev.sluice.testkit.servers;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A program that the machine has already. */
record ProgramOnPath(String name) {

    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)\\.\\d+");

    /** Major and minor number of what {@code --version} prints. */
    record Version(int major, int minor) {
        boolean isAtLeast(int wantedMajor, int wantedMinor) {
            return major > wantedMajor || (major == wantedMajor && minor >= wantedMinor);
        }
    }

    /** Where it is, if its version suits. */
    Optional<Path> find(Predicate<Version> suits) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .filter(program -> version(program).filter(suits).isPresent())
                .findFirst();
    }

    static Optional<Version> version(Path program) {
        try {
            var found = VERSION.matcher(Tool.in(Path.of(".")).run(List.of(program.toString(), "--version")));
            return found.find()
                    ? Optional.of(new Version(Integer.parseInt(found.group(1)), Integer.parseInt(found.group(2))))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}

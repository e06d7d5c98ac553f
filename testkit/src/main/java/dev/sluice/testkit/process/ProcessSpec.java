package dev.sluice.testkit.process;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What to run: a command, what it gets on top of this JVM's environment, and the directory it runs in. The name is for
 * people: it names the log file and appears in failures.
 */
public record ProcessSpec(String name, List<String> command, Map<String, String> environment, Path directory) {

    /** The main class of {@code sluice}; it must be on the class path of the test that starts it. */
    public static final String SLUICE_MAIN = "dev.sluice.server.cli.Sluice";

    public ProcessSpec {
        if (!name.matches("[A-Za-z0-9._-]+")) {
            throw new IllegalArgumentException(
                    "Process name \"" + name + "\" names a log file: use letters, digits, '.', '_' and '-'.");
        }
        if (command.isEmpty()) {
            throw new IllegalArgumentException("Process \"" + name + "\" has an empty command: say what to run.");
        }
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
    }

    /** Any command, in the current directory. */
    public static ProcessSpec of(String name, String... command) {
        return new ProcessSpec(name, List.of(command), Map.of(), Path.of(""));
    }

    /** {@code mainClass} on the JDK and the class path of the running test. */
    public static ProcessSpec java(String name, String mainClass, String... args) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-cp");
        command.add(absoluteClassPath());
        command.add(mainClass);
        command.addAll(Arrays.asList(args));
        return new ProcessSpec(name, command, Map.of(), Path.of(""));
    }

    /** {@code sluice} with these arguments, on the JDK and the class path of the running test. */
    public static ProcessSpec sluice(String name, String... args) {
        return java(name, SLUICE_MAIN, args);
    }

    /** The same with options for the virtual machine, e.g. {@code -Xmx512m}; only for a command that runs {@code java}. */
    public ProcessSpec withJvmOptions(String... options) {
        int classPath = command.indexOf("-cp");
        if (classPath != 1) {
            throw new IllegalStateException(
                    "Process \"" + name + "\" was not made by java(…) or sluice(…): put the options into its command.");
        }
        List<String> longer = new ArrayList<>(command);
        longer.addAll(1 + 2, Arrays.asList(options));
        return new ProcessSpec(name, longer, environment, directory);
    }

    /** The same with one more environment variable. */
    public ProcessSpec withEnvironment(String variable, String value) {
        Map<String, String> more = new TreeMap<>(environment);
        more.put(variable, value);
        return new ProcessSpec(name, command, more, directory);
    }

    /** The same, run in another directory. */
    public ProcessSpec in(Path directory) {
        return new ProcessSpec(name, command, environment, directory);
    }

    private static String absoluteClassPath() {
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            entries.add(Path.of(entry).toAbsolutePath().toString());
        }
        return String.join(File.pathSeparator, entries);
    }
}

package dev.sluice.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The child's side of a {@link CommandedProcess}: one command per line in, {@code ok …} or {@code failed …} out. */
final class CommandLoop {
    private CommandLoop() {}

    /** Carries out one command. */
    interface Commands {
        /** @return the answer, on one line */
        String answer(String[] words) throws Exception;
    }

    /** How the commands are made, with standard output already out of their way. */
    interface Start {
        Commands commands() throws Exception;
    }

    /** Answers commands until there are no more, then ends the JVM. */
    static void run(Start start) throws Exception {
        PrintStream answers = System.out;
        // Whatever else is printed must not be taken for an answer.
        System.setOut(System.err);
        Commands commands = start.commands();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line = nextLine(lines);
        while (!line.isEmpty()) {
            answers.println(answer(commands, line));
            line = nextLine(lines);
        }
        System.exit(0);
    }

    private static String nextLine(BufferedReader lines) throws IOException {
        String line = lines.readLine();
        return line == null ? "" : line;
    }

    private static String answer(Commands commands, String line) {
        try {
            return "ok " + commands.answer(line.split(" "));
        } catch (Exception e) {
            e.printStackTrace();
            return "failed " + line + ": " + e;
        }
    }
}

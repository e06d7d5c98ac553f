package dev.sluice.server.cli;

import dev.sluice.server.config.yaml.Names;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says in one sentence what was wrong with the arguments and what was probably meant, or where the help is. */
final class WrongUsage implements IParameterExceptionHandler {

    @Override
    public int handleParseException(ParameterException wrong, String[] arguments) {
        var command = wrong.getCommandLine();
        command.getErr().println("sluice: " + sentence(wrong, command, arguments));
        return ExitCode.WRONG_USAGE;
    }

    private static String sentence(ParameterException wrong, CommandLine command, String[] arguments) {
        if (wrong instanceof UnmatchedArgumentException unmatched) {
            return unknown(unmatched.getUnmatched().getFirst(), command);
        }
        if (wrong instanceof MissingParameterException missing) {
            // A misspelt --config is missing and unknown at once: the misspelling is the better thing to say.
            return Arrays.stream(arguments)
                    .filter(given -> given.startsWith("--") && !isKnown(given, command))
                    .findFirst()
                    .map(given -> unknown(given, command))
                    .orElseGet(() -> missing(missing) + seeHelp(command));
        }
        return String.valueOf(wrong.getMessage()).lines().findFirst().orElse("wrong usage") + seeHelp(command);
    }

    private static String missing(MissingParameterException missing) {
        return missing.getMissing().stream()
                .map(spec -> spec instanceof OptionSpec option
                        ? "set " + option.longestName() + " " + option.paramLabel()
                        : "name " + spec.paramLabel())
                .findFirst()
                .orElse("name a command");
    }

    private static boolean isKnown(String given, CommandLine command) {
        var name = given.contains("=") ? given.substring(0, given.indexOf('=')) : given;
        return command.getCommandSpec().optionsMap().containsKey(name);
    }

    private static String unknown(String given, CommandLine command) {
        var isOption = given.startsWith("-");
        var known = isOption
                ? command.getCommandSpec().optionsMap().keySet().stream()
                        .filter(name -> name.startsWith("--"))
                        .toList()
                : List.copyOf(command.getSubcommands().keySet());
        return (isOption ? "there is no option " : known.isEmpty() ? "there is no use for " : "there is no command ")
                + given
                + Names.nearest(given, known)
                        .map(near -> "; did you mean " + near + "?")
                        .orElseGet(() -> seeHelp(command));
    }

    private static String seeHelp(CommandLine command) {
        return "; see " + command.getCommandSpec().qualifiedName() + " --help";
    }
}

package dev.sluice.server.cli;

import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Listener;
import dev.sluice.server.config.PortCheck;
import dev.sluice.server.config.Reading;
import dev.sluice.server.config.yaml.Problem;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice check}: everything that is wrong with a configuration, before anything starts. */
@Command(
        name = "check",
        header = "Validate a configuration: all problems at once, with lines.",
        synopsisHeading = "%nUsage:%n  ",
        descriptionHeading = "%n",
        description = {
            "Reads FILE and the environment, starts nothing, connects to nothing. Problems and warnings go to standard"
                    + " error, one per line, as FILE:LINE: KEY: what to do. Exit code 1 if there is any problem;"
                    + " warnings alone are 0."
        },
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nFor example:%n",
        footer = {"  sluice check --config sluice.yaml", "  sluice check --config sluice.yaml --ports"})
final class CheckCommand implements Callable<Integer> {

    private final Map<String, String> environment;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private CommandSpec spec;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            required = true,
            description = "The configuration file.")
    @SuppressWarnings("NullAway.Init")
    private Path config;

    @Option(names = "--ports", description = "Also try whether the ports are free on this machine now.")
    private boolean ports;

    CheckCommand(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() {
        return switch (ConfigFile.read(config, environment)) {
            case Reading.Refused refused -> refuse(refused.problems());
            case Reading.Accepted accepted -> accept(accepted);
        };
    }

    private int accept(Reading.Accepted accepted) {
        accepted.warnings().forEach(warning -> print("warning: " + warning.describe(config.toString())));
        var taken = ports
                ? PortCheck.problems(
                        Listener.of(accepted.config()), accepted.config().security())
                : List.<Problem>of();
        if (!taken.isEmpty()) {
            return refuse(taken);
        }
        spec.commandLine().getOut().println(config + ": fine");
        return ExitCode.DONE;
    }

    private int refuse(List<Problem> problems) {
        problems.forEach(problem -> print(problem.describe(config.toString())));
        print("sluice: " + (problems.size() == 1 ? "1 problem" : problems.size() + " problems") + " in " + config
                + "; nothing was started");
        return ExitCode.FAILED;
    }

    private void print(String line) {
        spec.commandLine().getErr().println(line);
    }
}

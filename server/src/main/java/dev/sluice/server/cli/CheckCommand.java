package dev.sluice.server.cli;

import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Listener;
import dev.sluice.server.config.PortCheck;
import dev.sluice.server.config.Reading;
import dev.sluice.server.config.yaml.Problem;
import java.nio.file.Path;
import java.util.ArrayList;
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
            "Reads FILE and the environment, starts nothing, connects to nothing, and refuses what run would refuse for the"
                    + " same roles. Problems and warnings go to standard"
                    + " error, one per line, as FILE:LINE: KEY: what to do. Exit code 1 if there is any problem;"
                    + " warnings alone are 0."
        },
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nFor example:%n",
        footer = {
            "  sluice check --config sluice.yaml",
            "  sluice check --config sluice.yaml --role puller,streamer,gateway --ports"
        })
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

    @Option(
            names = "--role",
            paramLabel = "ROLE",
            split = ",",
            description = "The roles it is for, as in run: ${COMPLETION-CANDIDATES}. Default: puller.")
    private List<RoleName> roles = List.of();

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
        accepted.warnings().forEach(this::warn);
        var settings = accepted.config();
        var wanted = roles.isEmpty() ? List.of(RoleName.puller) : roles;
        var problems = new ArrayList<>(RoleProblems.of(settings, wanted));
        if (roles.isEmpty() && problems.isEmpty()) {
            RoleProblems.of(settings, List.of(RoleName.streamer)).forEach(this::warn);
        }
        if (ports) {
            var listeners = roles.isEmpty() ? Listener.of(settings) : RoleProblems.listeners(settings, wanted);
            problems.addAll(PortCheck.problems(listeners, settings.security()));
        }
        if (!problems.isEmpty()) {
            return refuse(problems);
        }
        spec.commandLine().getOut().println(config + ": fine");
        return ExitCode.DONE;
    }

    private void warn(Problem warning) {
        print("warning: " + warning.describe(config.toString()));
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

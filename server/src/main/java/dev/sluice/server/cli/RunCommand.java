package dev.sluice.server.cli;

import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.PortCheck;
import dev.sluice.server.config.Reading;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.config.Warnings;
import dev.sluice.server.config.yaml.Problem;
import dev.sluice.server.logging.ServerLogging;
import dev.sluice.server.node.Node;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice run}: the real thing, until it is told to stop. */
@Command(
        name = "run",
        header = "Run Sluice with a configuration.",
        synopsisHeading = "%nUsage:%n  ",
        descriptionHeading = "%n",
        description = {
            "Checks everything first: settings, addresses, ports. All problems are said at once and nothing is started."
                    + " Then it runs until SIGTERM or Ctrl-C, which stop it cleanly: what was captured is on disk, with the"
                    + " position to go on from. Logs go to standard error."
        },
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nFor example:%n",
        footer = {
            "  sluice run --config sluice.yaml --role puller,streamer,gateway",
            "  sluice run --config sluice.yaml --role outbox",
            "  sluice run --config sluice.yaml --role worker"
        })
final class RunCommand implements Callable<Integer> {

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

    @Option(
            names = "--role",
            paramLabel = "ROLE",
            split = ",",
            description = "What this process does: ${COMPLETION-CANDIDATES}; several with commas. Default: puller.")
    private List<RoleName> roles = List.of(RoleName.puller);

    RunCommand(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws Exception {
        return switch (ConfigFile.read(config, environment)) {
            case Reading.Refused refused -> refuse(refused.problems());
            case Reading.Accepted accepted -> {
                warnings(accepted).forEach(warning -> print("warning: " + warning.describe(config.toString())));
                var problems = problems(accepted.config());
                yield problems.isEmpty() ? run(accepted.config()) : refuse(problems);
            }
        };
    }

    private List<Problem> warnings(Reading.Accepted accepted) {
        var warnings = new ArrayList<>(accepted.warnings());
        if (roles.contains(RoleName.streamer) && roles.contains(RoleName.puller)) {
            var said = warnings.stream().map(Problem::key).toList();
            Warnings.ofStreamer(accepted.config()).stream()
                    .filter(warning -> !said.contains(warning.key()))
                    .forEach(warnings::add);
        }
        return warnings;
    }

    private List<Problem> problems(SluiceConfig accepted) {
        var problems = new ArrayList<>(RoleProblems.of(accepted, roles));
        problems.addAll(PortCheck.problems(RoleProblems.listeners(accepted, roles), accepted.security()));
        return problems;
    }

    private int run(SluiceConfig accepted) throws Exception {
        ServerLogging.apply(accepted.log());
        var node = Node.start(accepted, RoleName.roles(roles), Sluice.Version.text());
        return UntilStopped.await(node::close);
    }

    private int refuse(List<Problem> problems) {
        problems.forEach(problem -> print(problem.describe(config.toString())));
        print("sluice: " + (problems.size() == 1 ? "1 problem" : problems.size() + " problems")
                + "; nothing was started");
        return ExitCode.FAILED;
    }

    private void print(String line) {
        spec.commandLine().getErr().println(line);
    }
}

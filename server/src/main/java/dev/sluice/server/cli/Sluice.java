package dev.sluice.server.cli;

import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The way in: {@code sluice COMMAND}. */
@Command(
        name = "sluice",
        versionProvider = Sluice.Version.class,
        header = {
            "Takes every committed change out of a database and delivers it, in order",
            "and without loss, to everyone who asked."
        },
        synopsisHeading = "%nUsage:%n  ",
        customSynopsis = "sluice COMMAND [options]%n  sluice COMMAND --help    explains one command",
        optionListHeading = "%nOptions:%n",
        commandListHeading = "%nCommands:%n",
        footerHeading = "%nTo begin:%n",
        footer = {
            "  sluice demo                          the whole pipeline, nothing else needed",
            "  cp sluice.example.yaml sluice.yaml   a configuration, every key explained",
            "  sluice check --config sluice.yaml    all that is wrong with it, with lines",
            "",
            "Exit codes: 0 done, 1 it failed, 2 wrong usage.",
            "Errors go to standard error and say what to do.",
            "docs/configuration.md lists every key."
        },
        exitCodeOnInvalidInput = ExitCode.WRONG_USAGE,
        exitCodeOnExecutionException = ExitCode.FAILED)
public final class Sluice implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run()
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this, or a command's own help.",
            scope = CommandLine.ScopeType.INHERIT)
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version.")
    private boolean version;

    public static void main(String[] arguments) {
        var out = new PrintWriter(System.out, true);
        var err = new PrintWriter(System.err, true);
        System.exit(run(out, err, System.getenv(), arguments));
    }

    /** Reached only when no command is named. */
    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "name a command");
    }

    /** The whole command line without the process around it. */
    static int run(PrintWriter out, PrintWriter err, Map<String, String> environment, String... arguments) {
        var commands = new CommandLine(new Sluice())
                .addSubcommand(new DemoCommand())
                .addSubcommand(new RunCommand(environment))
                .addSubcommand(new TailCommand())
                .addSubcommand(new StatusCommand())
                .addSubcommand(SubscriptionsCommand.create())
                .addSubcommand(GatewaysCommand.create())
                .addSubcommand(DlqCommand.create())
                .addSubcommand(new ResyncCommand())
                .addSubcommand(PartitionsCommand.create())
                .addSubcommand(CheckpointsCommand.create(environment))
                .addSubcommand(OutboxCommand.create(environment))
                .addSubcommand(WorkerCommand.create(environment))
                .addSubcommand(new CheckCommand(environment))
                .addSubcommand(bench())
                .addSubcommand(new DevMongoCommand())
                .setUsageHelpAutoWidth(true)
                .setOut(out)
                .setErr(err)
                .setParameterExceptionHandler(new WrongUsage())
                .setExecutionExceptionHandler(Sluice::failed);
        return commands.execute(arguments);
    }

    /** The benchmarks read their own options; {@code --help} behind a name explains that benchmark. */
    private static CommandLine bench() {
        return new CommandLine(new BenchCommand())
                .setUnmatchedOptionsArePositionalParams(true)
                .setStopAtPositional(true);
    }

    /** A bug or a broken machine: said in one sentence here too; the log has the rest. */
    private static int failed(Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
        command.getErr().println("sluice: " + FailureText.of(failure));
        return ExitCode.FAILED;
    }

    /** The version of the jar this runs from. */
    static final class Version implements IVersionProvider {

        @Override
        public String[] getVersion() {
            return new String[] {"sluice " + text()};
        }

        static String text() {
            var version = Sluice.class.getPackage().getImplementationVersion();
            return version == null ? "development" : version;
        }
    }
}

package dev.sluice.server.cli;

import dev.sluice.server.ToolOnClassPath;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice bench}: hands its arguments to the benchmarks. */
@Command(
        name = "bench",
        header = "Run a benchmark; a table at the end.",
        synopsisHeading = "%nUsage:%n  ",
        customSynopsis = "sluice bench list%n  sluice bench NAME [--quick] [--json FILE] [--check]%n"
                + "  sluice bench NAME --help    explains one benchmark",
        descriptionHeading = "%n",
        description = "--check exits with 1 when a result is below its floor.",
        parameterListHeading = "%nArguments:%n",
        optionListHeading = "%nOptions:%n")
final class BenchCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private CommandSpec spec;

    @Parameters(arity = "0..*", paramLabel = "ARGUMENT", description = "As above.")
    private List<String> arguments = List.of();

    @Override
    public Integer call() {
        var out = spec.commandLine().getOut();
        var err = spec.commandLine().getErr();
        return ToolOnClassPath.find("dev.sluice.bench.BenchTool", "bench")
                .run(out, err, arguments.toArray(String[]::new));
    }
}

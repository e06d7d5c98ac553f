package dev.sluice.server.cli;

import dev.sluice.bench.Bench;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sluice bench}: hands its arguments to the benchmarks. */
@Command(
        name = "bench",
        header = "Run a benchmark; a table at the end.",
        synopsisHeading = "%nUsage:%n  ",
        customSynopsis = "sluice bench list%n  sluice bench NAME [--quick] [--json FILE] [--check]",
        descriptionHeading = "%n",
        description = "--check exits with 1 when a result is below its floor.",
        parameterListHeading = "%nArguments:%n",
        optionListHeading = "%nOptions:%n")
final class BenchCommand implements Callable<Integer> {

    @Parameters(arity = "0..*", paramLabel = "ARGUMENT", description = "As above.")
    private List<String> arguments = List.of();

    @Override
    public Integer call() throws Exception {
        return new Bench(System.out, System.err).run(arguments.toArray(String[]::new));
    }
}

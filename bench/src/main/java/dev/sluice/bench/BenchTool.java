package dev.sluice.bench;

import java.io.PrintWriter;
import java.util.spi.ToolProvider;

/** The benchmarks as a tool: {@code sluice bench} looks this class up by its name, since the server does not depend on it. */
public final class BenchTool implements ToolProvider {
    @Override
    public String name() {
        return "bench";
    }

    /** Writes to the standard streams: benchmarks start processes that do so too. */
    @Override
    public int run(PrintWriter out, PrintWriter err, String... args) {
        try {
            return new Bench(System.out, System.err).run(args);
        } catch (Exception failed) {
            throw new IllegalStateException(String.valueOf(failed.getMessage()), failed);
        }
    }
}

package dev.sluice.devmongo;

import dev.sluice.devmongo.oplog.OplogLimit;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.spi.ToolProvider;

/**
 * The server as a tool, which serves until its thread is interrupted: {@code sluice devmongo} and {@code sluice demo} look this class
 * up by its name, since the Sluice server does not depend on it.
 *
 * <p>Arguments: {@code --port N}, 0 for a free one, and {@code --data DIR} to keep documents and oplog there. Its one line of output
 * is the connection string, once clients can connect.
 */
public final class DevMongoTool implements ToolProvider {
    /** History in a data directory: little enough to be read at every start. */
    private static final OplogLimit KEPT = new OplogLimit(64L << 20, Integer.MAX_VALUE);

    @Override
    public String name() {
        return "devmongo";
    }

    @Override
    public int run(PrintWriter out, PrintWriter err, String... args) {
        try (DevMongo server = settings(args).start()) {
            out.println(server.connectionString());
            out.flush();
            new CountDownLatch(1).await();
        } catch (InterruptedException stopped) {
            return 0;
        } catch (RuntimeException failed) {
            err.println(failed.getMessage());
            return 1;
        }
        return 0;
    }

    private static DevMongoBuilder settings(String... args) {
        DevMongoBuilder settings = DevMongo.builder();
        for (int at = 0; at + 1 < args.length; at += 2) {
            switch (args[at]) {
                case "--port" -> settings.port(Integer.parseInt(args[at + 1]));
                case "--data" -> settings.data(Path.of(args[at + 1])).oplog(KEPT);
                default -> throw new IllegalArgumentException("devmongo knows no option " + args[at]);
            }
        }
        return settings;
    }
}

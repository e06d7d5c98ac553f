package dev.sluice.server.demo;

import dev.sluice.server.ToolOnClassPath;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.spi.ToolProvider;
import org.jspecify.annotations.Nullable;

/** The development MongoDB, if its module is on the class path, on a thread of its own. */
public final class DevelopmentMongo implements AutoCloseable {
    private static final Duration STOPPING = Duration.ofSeconds(10);

    private final CompletableFuture<String> address = new CompletableFuture<>();
    private final Thread thread;

    private DevelopmentMongo(ToolProvider tool, String... arguments) {
        this.thread = Thread.ofVirtual().name("devmongo").start(() -> serve(tool, arguments));
    }

    /**
     * Returns when clients can connect.
     *
     * @param port 0 takes a free one
     * @param data keeps documents and oplog; null keeps them in memory only
     * @throws IllegalStateException when it cannot start, or is not on the class path
     */
    public static DevelopmentMongo start(int port, @Nullable Path data) {
        ToolProvider tool = ToolOnClassPath.find("dev.sluice.devmongo.DevMongoTool", "devmongo");
        List<String> arguments = new ArrayList<>(List.of("--port", Integer.toString(port)));
        if (data != null) {
            arguments.addAll(List.of("--data", data.toString()));
        }
        DevelopmentMongo mongo = new DevelopmentMongo(tool, arguments.toArray(String[]::new));
        try {
            mongo.address.join();
        } catch (CompletionException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            throw new IllegalStateException(String.valueOf(cause.getMessage()), failed);
        }
        return mongo;
    }

    private void serve(ToolProvider tool, String... arguments) {
        StringWriter errors = new StringWriter();
        try {
            tool.run(new PrintWriter(new FirstLine(address::complete), true), new PrintWriter(errors, true), arguments);
            address.completeExceptionally(
                    new IllegalStateException(errors.toString().strip()));
        } catch (RuntimeException | Error failed) {
            address.completeExceptionally(failed);
            throw failed;
        }
    }

    public String connectionString() {
        return address.join();
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join(STOPPING);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

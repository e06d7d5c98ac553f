package dev.sluice.rocksdb;

import dev.sluice.log.LogUnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/** Has another thread do it, and waits. */
final class OffThread {
    private OffThread() {}

    static <T> T call(ExecutorService threads, Supplier<T> work) {
        try {
            return CompletableFuture.supplyAsync(work, threads).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException fault) {
                throw fault;
            }
            throw e;
        } catch (RejectedExecutionException e) {
            throw new LogUnavailableException("This event log is closed.", e);
        }
    }
}

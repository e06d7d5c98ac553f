package dev.sluice.rocksdb;

import dev.sluice.model.InvalidInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * A {@link Database} for any thread: work that comes from a virtual thread is done on a platform thread, because native
 * calls hold the thread they run on; one write at a time; and after a write that failed, of which nobody knows what is on
 * disk, the next one opens the database anew before anything else.
 */
final class KeptTables implements AutoCloseable {
    private final String what;
    private final Path directory;
    private final int oldest;
    private final int format;
    private final List<String> families;
    private final BiFunction<String, @Nullable Throwable, ? extends RuntimeException> fault;
    private final ExecutorService threads;
    /** Held shared by whoever reads, exclusively by whoever closes. */
    private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();

    private @Nullable Database open;
    private boolean doubtful;
    private boolean closed;

    /** Something to do with the database. */
    interface Work<T> {
        T with(Database database) throws RocksDBException;
    }

    /** Says what is to be written, all or nothing; returns what the caller wants to know. */
    interface Change<T> {
        T fill(Database database, WriteBatch batch) throws RocksDBException;
    }

    /**
     * @param what in messages: "The {what} in {directory} …"
     * @param oldest the earliest format that can be read
     * @param format the present one
     * @param fault makes the exception that the port promises
     */
    KeptTables(
            String what,
            Path directory,
            int oldest,
            int format,
            List<String> families,
            BiFunction<String, @Nullable Throwable, ? extends RuntimeException> fault) {
        this.what = what;
        this.directory = directory;
        this.oldest = oldest;
        this.format = format;
        this.families = families;
        this.fault = fault;
        this.open = openDatabase();
        this.threads = Executors.newFixedThreadPool(
                2,
                Thread.ofPlatform()
                        .name(directory.getFileName() + "-", 1)
                        .daemon()
                        .factory());
    }

    private Database openDatabase() {
        try {
            requireCurrent();
            return new Database(directory, oldest, format, families);
        } catch (IOException e) {
            throw fault.apply(
                    "The " + what + " cannot be kept in " + directory
                            + ": make it and its parent writable, or configure another directory.",
                    e);
        } catch (RocksDBException e) {
            throw faultOf(e);
        } catch (Database.UnknownFormatException e) {
            throw fault.apply(
                    "The " + what + " in " + directory + " are of " + e.getMessage()
                            + ": run the version that wrote them, or move the directory away.",
                    e);
        }
    }

    /** Without its CURRENT file a database looks new to RocksDB, which would then clear away the tables it finds. */
    private void requireCurrent() throws IOException {
        Files.createDirectories(directory);
        try (Stream<Path> files = Files.list(directory)) {
            boolean used = files.map(file -> file.getFileName().toString())
                    .anyMatch(name -> name.endsWith(".sst") || name.endsWith(".log") || name.startsWith("MANIFEST"));
            if (used && !Files.exists(directory.resolve("CURRENT"))) {
                throw damaged("the file CURRENT is missing", null);
            }
        }
    }

    <T> T read(Work<T> work) {
        return offVirtual(() -> {
            gate.readLock().lock();
            try {
                return work.with(current());
            } catch (RocksDBException e) {
                throw faultOf(e);
            } catch (InvalidInputException e) {
                throw damaged(String.valueOf(e.getMessage()), e);
            } finally {
                gate.readLock().unlock();
            }
        });
    }

    /** Returns when it is on disk. */
    <T> T write(Change<T> change) {
        return offVirtual(() -> writeNow(change));
    }

    private synchronized <T> T writeNow(Change<T> change) {
        if (doubtful && !closed) {
            reopen();
        }
        Database database = current();
        try (WriteBatch batch = new WriteBatch()) {
            T told = change.fill(database, batch);
            if (batch.count() > 0) {
                doubtful = true;
                database.write(batch);
                doubtful = false;
            }
            return told;
        } catch (RocksDBException e) {
            throw faultOf(e);
        } catch (InvalidInputException e) {
            throw damaged(String.valueOf(e.getMessage()), e);
        }
    }

    private void reopen() {
        gate.writeLock().lock();
        try {
            Database old = open;
            if (old != null) {
                requireRoom();
                open = null;
                old.close();
            }
            open = openDatabase();
            doubtful = false;
        } finally {
            gate.writeLock().unlock();
        }
    }

    private void requireRoom() {
        try {
            long needed = RoomToReopen.needed(directory);
            if (needed > 0) {
                throw fault.apply("The disk of " + directory + " is full: free at least " + needed + " bytes.", null);
            }
        } catch (IOException e) {
            throw fault.apply("Cannot look into " + directory + ": see that the disk works.", e);
        }
    }

    private Database current() {
        Database database = open;
        if (database == null) {
            throw fault.apply("The " + what + " in " + directory + " are closed.", null);
        }
        return database;
    }

    private interface Call<T> {
        T run();
    }

    private <T> T offVirtual(Call<T> call) {
        if (!Thread.currentThread().isVirtual()) {
            return call.run();
        }
        try {
            return CompletableFuture.supplyAsync(call::run, threads).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        } catch (RejectedExecutionException e) {
            throw fault.apply("The " + what + " in " + directory + " are closed.", e);
        }
    }

    private RuntimeException faultOf(RocksDBException e) {
        String message = String.valueOf(e.getMessage());
        return switch (RocksFaults.kind(e)) {
            case NO_SPACE ->
                fault.apply(
                        "The disk of " + directory + " is full or does not take what is written: free some space.", e);
            case IN_USE ->
                fault.apply(
                        "The " + what + " in " + directory + " are in use by another process: stop that one, or"
                                + " configure another directory.",
                        e);
            case DAMAGED -> damaged(message, e);
            case UNAVAILABLE ->
                fault.apply(
                        "The " + what + " in " + directory + " cannot be used: " + message
                                + ". See that the disk works and the directory is readable and writable.",
                        e);
        };
    }

    private RuntimeException damaged(String message, @Nullable Throwable cause) {
        return fault.apply(
                "The " + what + " in " + directory + " are damaged (" + message
                        + "). Restore the directory from a backup, or move it away and start without it.",
                cause);
    }

    @Override
    public synchronized void close() {
        closed = true;
        gate.writeLock().lock();
        try {
            Database database = open;
            open = null;
            if (database != null) {
                database.close();
            }
        } finally {
            gate.writeLock().unlock();
        }
        threads.shutdown();
    }
}

package dev.sluice.checkpoint;

import dev.sluice.model.InvalidInputException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One small file per checkpoint in a local directory. A save writes a new file, syncs it, renames it over the old one
 * and syncs the directory: after a crash there is the old checkpoint or the new one, whole.
 */
public final class FileCheckpoints implements CheckpointStore {
    private static final String SUFFIX = ".checkpoint";

    private final Path directory;

    public FileCheckpoints(Path directory) {
        this.directory = directory;
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new CheckpointException(
                    "Cannot create " + directory + " for checkpoints: make it writable or configure another path.", e);
        }
    }

    @Override
    public synchronized void save(String name, Checkpoint checkpoint) {
        Path file = fileOf(name);
        Path fresh = directory.resolve(name + SUFFIX + ".new");
        try {
            writeSynced(fresh, checkpoint.encode());
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            syncDirectory();
        } catch (IOException e) {
            throw new CheckpointException("Cannot write " + file + ": see that its disk has room and is writable.", e);
        }
    }

    private static void writeSynced(Path file, byte[] bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer left = ByteBuffer.wrap(bytes);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            channel.force(true);
        }
    }

    private void syncDirectory() throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public Optional<Checkpoint> load(String name) {
        return read(fileOf(name));
    }

    private static Optional<Checkpoint> read(Path file) {
        try {
            return Optional.of(Checkpoint.decode(Files.readAllBytes(file)));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException | InvalidInputException e) {
            throw new CheckpointException(
                    "Cannot read the checkpoint " + file + ": restore the file, or delete it to start without it.", e);
        }
    }

    @Override
    public Map<String, Checkpoint> list() {
        Map<String, Checkpoint> all = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            for (Path file : files) {
                String fileName = file.getFileName().toString();
                String name = fileName.substring(0, fileName.length() - SUFFIX.length());
                read(file).ifPresent(checkpoint -> all.put(name, checkpoint));
            }
        } catch (IOException | UncheckedIOException e) {
            throw new CheckpointException("Cannot list " + directory + ": make it readable.", e);
        }
        return all;
    }

    @Override
    public synchronized void delete(String name) {
        Path file = fileOf(name);
        try {
            if (Files.deleteIfExists(file)) {
                syncDirectory();
            }
        } catch (IOException e) {
            throw new CheckpointException("Cannot delete " + file + ": make its directory writable.", e);
        }
    }

    private Path fileOf(String name) {
        return directory.resolve(CheckpointStore.checkName(name) + SUFFIX);
    }

    @Override
    public void close() {}
}

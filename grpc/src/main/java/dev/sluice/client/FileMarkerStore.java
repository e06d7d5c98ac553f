package dev.sluice.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** One small file, replaced as a whole and synced: after a crash it holds the marker before or the one after, never half. */
public final class FileMarkerStore implements MarkerStore {
    private final Path file;
    private final Path folder;

    public FileMarkerStore(Path file) {
        this.file = file.toAbsolutePath();
        Path parent = this.file.getParent();
        if (parent == null) {
            throw new IllegalArgumentException("A marker needs a file, not " + file);
        }
        this.folder = parent;
    }

    @Override
    public Optional<String> load() throws IOException {
        return Files.exists(file) ? Optional.of(Files.readString(file).strip()) : Optional.empty();
    }

    @Override
    public void save(String marker) throws IOException {
        Files.createDirectories(folder);
        Path fresh = folder.resolve(file.getFileName() + ".new");
        try (FileChannel channel = FileChannel.open(
                fresh, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer bytes = ByteBuffer.wrap(marker.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
            directory.force(true);
        }
    }
}

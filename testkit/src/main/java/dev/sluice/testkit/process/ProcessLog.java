package dev.sluice.testkit.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The file that takes a process's stdout and stderr; a new one per child, kept after the test for whoever asks why. */
final class ProcessLog {

    private static final Map<Path, Integer> USED = new ConcurrentHashMap<>();

    private final Path file;

    private ProcessLog(Path file) {
        this.file = file;
    }

    /** {@code name.log} in this directory, emptied; {@code name-2.log} when this JVM has used that one already. */
    static ProcessLog create(Path directory, String name) {
        int use = USED.merge(directory.resolve(name).toAbsolutePath(), 1, Integer::sum);
        Path file = directory.resolve(use == 1 ? name + ".log" : name + "-" + use + ".log");
        try {
            Files.createDirectories(directory);
            Files.write(file, new byte[0]);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write the log " + file + ": make its directory writable.", e);
        }
        return new ProcessLog(file.toAbsolutePath());
    }

    Path file() {
        return file;
    }

    long size() {
        return file.toFile().length();
    }

    void append(String line) {
        try {
            Files.writeString(file, line + "\n", StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String tail(int lines) {
        ArrayDeque<String> last = new ArrayDeque<>(lines + 1);
        try (var all = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            all.forEach(line -> {
                last.addLast(line);
                if (last.size() > lines) {
                    last.removeFirst();
                }
            });
        } catch (IOException e) {
            return "(unreadable: " + e + ")";
        }
        return String.join("\n", last);
    }

    Search search(long from, Pattern pattern) {
        return new Search(from, pattern);
    }

    /** Reads on where it stopped the last time, so that waiting for a line of a long log stays cheap. */
    final class Search {
        private final Pattern pattern;
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();
        private final ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);
        private long position;

        private Search(long from, Pattern pattern) {
            this.position = from;
            this.pattern = pattern;
        }

        /** The first match within a complete line that was not looked at before. */
        Optional<MatchResult> next() {
            try (FileChannel channel = FileChannel.open(file)) {
                while (channel.read(buffer.clear(), position) > 0) {
                    buffer.flip();
                    while (buffer.hasRemaining()) {
                        byte b = buffer.get();
                        position++;
                        if (b != '\n') {
                            line.write(b);
                            continue;
                        }
                        Matcher matcher = pattern.matcher(line.toString(StandardCharsets.UTF_8));
                        line.reset();
                        if (matcher.find()) {
                            return Optional.of(matcher.toMatchResult());
                        }
                    }
                }
                return Optional.empty();
            } catch (IOException e) {
                throw new UncheckedIOException("Cannot read the log " + file + ".", e);
            }
        }
    }
}

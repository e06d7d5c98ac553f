package dev.sluice.testkit.ledger;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The records of a process that may be killed: one line each, handed to the operating system before the call returns, so
 * that they survive {@code kill -9} (not a power cut). One file per process; the test {@linkplain #replay replays} it.
 */
public final class LedgerFile implements Recorder, AutoCloseable {

    private final FileChannel channel;

    private LedgerFile(FileChannel channel) {
        this.channel = channel;
    }

    /** Goes on behind what an earlier life of the process has recorded; a line it did not finish is taken away. */
    public static LedgerFile append(Path file) {
        try {
            FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            channel.truncate(endOfLastLine(channel));
            channel.position(channel.size());
            return new LedgerFile(channel);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot open the ledger file " + file + ".", e);
        }
    }

    /** Hands every finished line of the file to the ledger; the file may still grow meanwhile. */
    public static void replay(Path file, Recorder into) {
        try (var reader = Files.newBufferedReader(file)) {
            StringBuilder line = new StringBuilder();
            for (int c = reader.read(); c >= 0; c = reader.read()) {
                if (c == '\n') {
                    replay(line.toString().split("\t", -1), into);
                    line.setLength(0);
                } else {
                    line.append((char) c);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read the ledger file " + file + ".", e);
        }
    }

    private static void replay(String[] line, Recorder into) {
        switch (line[0]) {
            case "try" -> into.attempted(line[2], Integer.parseInt(line[1]));
            case "written" -> into.written(line[2], Integer.parseInt(line[1]));
            case "arrived" ->
                into.arrived(line[3], line[2], Integer.parseInt(line[1]), line[4], Boolean.parseBoolean(line[5]));
            default -> throw new IllegalArgumentException("\"" + String.join(" ", line) + "\" is no ledger line.");
        }
    }

    @Override
    public void attempted(String document, int version) {
        write("try", version, document);
    }

    @Override
    public void written(String document, int version) {
        write("written", version, document);
    }

    @Override
    public void arrived(String consumer, String document, int version, String eventId, boolean flaggedAsRepeat) {
        write("arrived", version, document, consumer, eventId, "" + flaggedAsRepeat);
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized void write(String verb, int version, String... fields) {
        StringBuilder line = new StringBuilder(verb).append('\t').append(version);
        for (String field : fields) {
            if (field.indexOf('\n') >= 0 || field.indexOf('\t') >= 0) {
                throw new IllegalArgumentException("\"" + field + "\" has a tab or a line break: name it without.");
            }
            line.append('\t').append(field);
        }
        ByteBuffer bytes = ByteBuffer.wrap(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write to the ledger file.", e);
        }
    }

    private static long endOfLastLine(FileChannel channel) throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        for (long end = channel.size(); end > 0; end--) {
            channel.read(one.clear(), end - 1);
            if (one.get(0) == '\n') {
                return end;
            }
        }
        return 0;
    }
}

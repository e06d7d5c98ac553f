package dev.sluice.server.demo;

import java.io.Writer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Hands on the first line that is written to it, and drops the rest. */
final class FirstLine extends Writer {
    private final StringBuilder line = new StringBuilder();
    private @Nullable Consumer<String> reader;

    FirstLine(Consumer<String> reader) {
        this.reader = reader;
    }

    @Override
    public void write(char[] text, int offset, int length) {
        for (int at = offset; at < offset + length && reader != null; at++) {
            if (text[at] == '\n') {
                reader.accept(line.toString().strip());
                reader = null;
            } else {
                line.append(text[at]);
            }
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}

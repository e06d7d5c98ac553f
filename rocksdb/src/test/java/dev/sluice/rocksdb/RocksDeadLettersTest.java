package dev.sluice.rocksdb;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.lane.DeadLetters;
import dev.sluice.lane.DeadLettersException;
import dev.sluice.testkit.contract.DeadLettersContract;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksDeadLettersTest extends DeadLettersContract {
    @TempDir
    Path path;

    @Override
    protected DeadLetters open() {
        return new RocksDeadLetters(path.resolve("kept"));
    }

    @Override
    protected DeadLetters reopen(DeadLetters letters) {
        letters.close();
        return open();
    }

    @Test
    void aSecondProcessIsToldThatTheyAreInUse() {
        assertThatThrownBy(this::open)
                .isInstanceOf(DeadLettersException.class)
                .hasMessageContaining("in use by another process");
    }

    @Test
    void anUnknownFormatIsRefused() throws Exception {
        Path other = path.resolve("future");
        new RocksDeadLetters(other).close();
        KeptTablesOf.writeFormat(other, List.of("letters", "ids", "times"), 7);
        assertThatThrownBy(() -> new RocksDeadLetters(other))
                .isInstanceOf(DeadLettersException.class)
                .hasMessageContaining("format 7");
    }
}

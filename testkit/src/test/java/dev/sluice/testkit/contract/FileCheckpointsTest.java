package dev.sluice.testkit.contract;

import static dev.sluice.testkit.contract.SampleEvents.checkpoint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.checkpoint.CheckpointException;
import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.checkpoint.FileCheckpoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileCheckpointsTest extends CheckpointStoreContract {
    @TempDir
    Path directory;

    @Override
    protected CheckpointStore open() {
        return new FileCheckpoints(directory.resolve("checkpoints"));
    }

    @Override
    protected CheckpointStore reopen() {
        return open();
    }

    @Test
    void aDamagedFileIsNamedAndNotTakenForNothing() throws IOException {
        CheckpointStore store = open();
        store.save("main", checkpoint(1, 1));
        Path file = directory.resolve("checkpoints/main.checkpoint");
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));
        assertThatThrownBy(() -> store.load("main"))
                .isInstanceOf(CheckpointException.class)
                .hasMessageContaining("main.checkpoint");
    }

    @Test
    void whatACrashLeftHalfWrittenIsNotSeen() throws IOException {
        CheckpointStore store = open();
        store.save("main", checkpoint(1, 1));
        Files.write(directory.resolve("checkpoints/main.checkpoint.new"), new byte[3]);
        assertThat(store.load("main")).contains(checkpoint(1, 1));
        assertThat(store.list()).hasSize(1);
        store.save("main", checkpoint(2, 1));
        assertThat(store.load("main")).contains(checkpoint(2, 1));
    }
}

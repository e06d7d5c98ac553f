package dev.sluice.coordinate;

import dev.sluice.model.InvalidInputException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Which id a member takes: a configured one, or a <em>stable</em> one out of a pool. Of a pool the lowest that is free is
 * taken; one that was taken before is remembered in a file, and a restarted process waits for it as long as a lease lives
 * before it takes another.
 */
public final class MemberIds {
    private final List<String> ids;
    private final @Nullable Path memory;

    private MemberIds(List<String> ids, @Nullable Path memory) {
        this.ids = List.copyOf(ids);
        this.memory = memory;
        this.ids.forEach(Keys::check);
    }

    public static MemberIds fixed(String id) {
        return new MemberIds(List.of(id), null);
    }

    /** {@code prefix0}, {@code prefix1} … @param memory a file of this process alone, or null to remember nothing */
    public static MemberIds pool(String prefix, int size, @Nullable Path memory) {
        if (size < 1 || size > 10_000) {
            throw new InvalidInputException("a pool of member ids has 1 to 10000 of them, not " + size);
        }
        return new MemberIds(IntStream.range(0, size).mapToObj(i -> prefix + i).toList(), memory);
    }

    List<String> ids() {
        return ids;
    }

    Optional<String> remembered() {
        if (memory == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Files.readString(memory).strip()).filter(ids::contains);
        } catch (NoSuchFileException firstStart) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException("the remembered member id cannot be read from " + memory, e);
        }
    }

    void remember(String id) {
        if (memory == null || remembered().filter(id::equals).isPresent()) {
            return;
        }
        try {
            Path next = memory.resolveSibling(memory.getFileName() + ".next");
            Files.writeString(next, id + "\n");
            Files.move(next, memory, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("the member id cannot be remembered in " + memory, e);
        }
    }
}

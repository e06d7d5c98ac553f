package dev.sluice.checkpoint;

import dev.sluice.model.InvalidInputException;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Checkpoints by name, one per name. Any thread may call any method.
 *
 * <ul>
 *   <li>When {@link #save} returns, the checkpoint survives a crash of this process; a later {@link #load} by anyone
 *       returns it, or one that was saved after it.
 *   <li>A reader never sees half a checkpoint.
 *   <li>A store that cannot be reached throws {@link CheckpointException}; what was saved before stays.
 * </ul>
 */
public interface CheckpointStore extends AutoCloseable {
    /** What {@link #checkName} lets pass: names become keys, file names and document ids. */
    Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.@-]{0,127}");

    /** Stores it under this name, in place of what was there. */
    void save(String name, Checkpoint checkpoint);

    /** What was last saved under this name; empty when nothing was, or it was deleted. */
    Optional<Checkpoint> load(String name);

    /** All of them, by name in order. */
    Map<String, Checkpoint> list();

    /** Forgets this name. Harmless when there is nothing. */
    void delete(String name);

    @Override
    void close();

    /** @throws InvalidInputException saying which names are allowed */
    static String checkName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new InvalidInputException(
                    "a checkpoint's name is 1 to 128 letters, digits, '_', '-', '.' or '@', starting"
                            + " with a letter, digit or '_'");
        }
        return name;
    }
}

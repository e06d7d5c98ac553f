package dev.sluice.worker.partition;

import dev.sluice.model.InvalidInputException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * One partition per hash slot. The number of slots is part of the subject, so that the subjects of two numbers never mix.
 *
 * @param prefix the tokens before the number of slots
 * @param n the number of slots
 */
public record HashedSubjects(String prefix, int n) implements Partitions {
    public static final int MAX_SLOTS = 10_000;
    private static final Pattern SLOT = Pattern.compile("0|[1-9][0-9]{0,4}");

    public HashedSubjects {
        SubjectRules.checkLiteral("the prefix of hashed partitions,", prefix);
        if (n < 1 || n > MAX_SLOTS) {
            throw new InvalidInputException("the number of hashed partitions is 1 to " + MAX_SLOTS + ", not " + n);
        }
    }

    @Override
    public List<PartitionSpec> known() {
        return IntStream.range(0, n)
                .mapToObj(slot -> new PartitionSpec(Integer.toString(slot), filter(slot)))
                .toList();
    }

    /** The filter of one slot: {@code orders.64.7.>}. */
    public String filter(int slot) {
        return base() + slot + ".>";
    }

    /** The filter of all slots: {@code orders.64.>}. */
    public String filter() {
        return base() + ">";
    }

    private String base() {
        return prefix + '.' + n + '.';
    }

    @Override
    public Optional<String> idOf(String filter) {
        if (!filter.startsWith(base()) || !filter.endsWith(".>")) {
            return Optional.empty();
        }
        String slot = filter.substring(base().length(), Math.max(base().length(), filter.length() - 2));
        return SLOT.matcher(slot).matches() && Integer.parseInt(slot) < n ? Optional.of(slot) : Optional.empty();
    }

    @Override
    public String describe() {
        return "hashed(" + prefix + ", " + n + ")";
    }
}

package dev.sluice.coordinate;

import dev.sluice.model.InvalidInputException;
import java.util.OptionalInt;

/**
 * Where a group keeps what. What everybody must hear of soon stands below {@link #control()}, apart from the claims,
 * which change with every saved position: a watch on the one does not wake for the other.
 */
record GroupKeys(String group) {
    GroupKeys {
        Keys.checkPrefix(group + "/");
    }

    /** Member records; leases have the same names. */
    String members() {
        return group + "/members/";
    }

    String member(String id) {
        return Keys.check(members() + id);
    }

    /** The id in a key or lease name below {@link #members()}. */
    String memberId(String name) {
        return name.substring(members().length());
    }

    String control() {
        return group + "/control/";
    }

    String leader() {
        return control() + "leader";
    }

    String assignment() {
        return control() + "assignment";
    }

    String layout() {
        return control() + "layout";
    }

    String claims(long generation) {
        return group + "/claims/" + generation + "/";
    }

    String claim(long generation, int partition) {
        return claims(generation) + partition;
    }

    /** The partition of a key below {@link #claims}. */
    int partition(String claimKey) {
        String last = claimKey.substring(claimKey.lastIndexOf('/') + 1);
        try {
            return Integer.parseInt(last);
        } catch (NumberFormatException e) {
            throw new InvalidInputException("key " + claimKey + " does not end with a partition: delete it");
        }
    }

    /** The same of a key that may be a prefix, or what somebody else put there. */
    OptionalInt claimedPartition(String key) {
        String last = key.substring(key.lastIndexOf('/') + 1);
        boolean number = !last.isEmpty() && last.length() < 10 && last.chars().allMatch(c -> c >= '0' && c <= '9');
        return number ? OptionalInt.of(Integer.parseInt(last)) : OptionalInt.empty();
    }
}

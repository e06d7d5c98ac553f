package dev.sluice.outbox.relay;

import java.util.Optional;

/**
 * Under how many claims a relay may send. A key's partition id says which claim owns it only where the number its writers count
 * is a multiple of the claims; elsewhere one key would have two senders. And the lock of an older outbox means something
 * only while one claim owns everything.
 *
 * @param partitions how many the writers count
 * @param oldLock the lock of nodes of the old kind; empty when there are none
 */
record LayoutRule(int partitions, String oldLock) {
    /** How many claims a new group begins with. */
    int firstClaims() {
        return oldLock.isEmpty() ? partitions : 1;
    }

    /** What is wrong with so many claims, and the way out; empty when nothing is. */
    Optional<String> objection(int claims) {
        if (partitions % claims != 0) {
            return Optional.of(
                    "this relay counts " + partitions + " partitions, which is no multiple of the outbox's "
                            + claims
                            + " claims, so a key could have two senders: start it with the number of the writers, or run"
                            + " `sluice outbox migrate --global-lock`, which lets one relay send everything, and go on from there");
        }
        if (claims > 1 && !oldLock.isEmpty()) {
            return Optional.of("the outbox has " + claims + " claims, and the global lock " + oldLock
                    + " keeps nodes of an older outbox out only while there is one: when those nodes are gone start the relays"
                    + " without it, while they run use `sluice outbox migrate --global-lock`");
        }
        return Optional.empty();
    }
}

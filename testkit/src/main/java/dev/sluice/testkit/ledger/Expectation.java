package dev.sluice.testkit.ledger;

import java.util.function.Predicate;

/**
 * What a consumer is owed.
 *
 * @param wants the documents it asked for; any other that arrives is a fault
 * @param onlyNewest whether it takes a coalesced stream: the newest version of each document must arrive, those before it
 *     may be skipped
 */
public record Expectation(Predicate<String> wants, boolean onlyNewest) {

    /** Every version of every document. */
    public static Expectation everyVersion() {
        return new Expectation(document -> true, false);
    }

    /** The newest version of every document; for consumers of a coalesced stream. */
    public static Expectation newestVersion() {
        return new Expectation(document -> true, true);
    }

    /** The same, of these documents only; for consumers with a filter or a share of the partitions. */
    public Expectation of(Predicate<String> documents) {
        return new Expectation(wants.and(documents), onlyNewest);
    }
}

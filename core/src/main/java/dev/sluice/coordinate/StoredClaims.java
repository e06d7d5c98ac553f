package dev.sluice.coordinate;

import dev.sluice.model.FencingToken;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The claims of a group as they are stored, with the members that held leases before the claims were listed. In this order,
 * so that an incarnation that neither holds a lease nor is named by a claim owns nothing and never will: it cannot get a
 * lease again, and what it had claimed is listed. Both answers are hints and may be a moment old.
 *
 * @param live incarnation by member id
 * @param claims by partition; a partition that nobody ever claimed is left out
 */
public record StoredClaims(SortedMap<String, String> live, SortedMap<Integer, StoredClaim> claims) {
    /**
     * @param owner the member's id; empty when the claim was released
     * @param incarnation the owner's; empty when the claim was released
     * @param live whether that incarnation held its lease
     */
    public record StoredClaim(String owner, String incarnation, FencingToken token, String position, boolean live) {}

    /** Whether the incarnation holds a lease, or a claim names it: what it left behind may still be needed. */
    public boolean isNamed(String incarnation) {
        return live.containsValue(incarnation)
                || claims.values().stream()
                        .anyMatch(claim -> claim.incarnation().equals(incarnation));
    }

    static StoredClaims read(CoordinationStore store, GroupKeys keys) {
        SortedMap<String, String> live = new TreeMap<>();
        store.leases(keys.members()).forEach((name, holder) -> live.put(keys.memberId(name), holder));
        SortedMap<Integer, StoredClaim> claims = new TreeMap<>();
        store.get(keys.layout())
                .map(Layout::of)
                .ifPresent(layout -> store.list(keys.claims(layout.claimedGeneration()))
                        .forEach(entry -> claims.put(keys.partition(entry.key()), of(entry, live))));
        return new StoredClaims(live, claims);
    }

    private static StoredClaim of(Entry entry, Map<String, String> live) {
        ClaimRecord claim = ClaimRecord.of(entry);
        return new StoredClaim(
                claim.owner(),
                claim.incarnation(),
                claim.token(),
                claim.position(),
                claim.incarnation().equals(live.get(claim.owner())));
    }
}

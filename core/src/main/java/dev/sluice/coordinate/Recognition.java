package dev.sluice.coordinate;

import dev.sluice.coordinate.identity.Admission;
import dev.sluice.coordinate.identity.Admission.Cause;
import dev.sluice.coordinate.identity.MemberGate;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which of those that hold leases are members of this group, by its secret. Who could not be recognised for as long as a lease
 * lives is a stranger, and as good as dead: it does not lead, and what it took may be taken from it.
 *
 * <p>Whose secret is the wrong one cannot be known, only whose is the rarer: a member that meets more members with another
 * secret than with its own stands back by itself, and where both are equally many nobody takes anything from the other. Where
 * there is no secret everybody is recognised, and nothing is read.
 */
final class Recognition {
    /**
     * @param members without the strangers
     * @param outnumbered whether more members have another secret than this one's
     */
    record Company(LiveMembers members, Set<String> strangers, boolean outnumbered) {}

    private final CoordinationStore store;
    private final GroupKeys keys;
    private final Clockwork clockwork;
    private final MemberGate gate;
    private final GroupJournal journal;
    private final Duration patience;
    private final boolean secret;
    private final Map<String, String> recognised = new HashMap<>();
    private final Map<String, Doubt> doubts = new HashMap<>();

    private record Doubt(String incarnation, long since, boolean otherSecret, boolean told) {}

    Recognition(
            CoordinationStore store,
            GroupSettings settings,
            Clockwork clockwork,
            MemberGate gate,
            GroupJournal journal) {
        this.store = store;
        this.keys = new GroupKeys(settings.group());
        this.clockwork = clockwork;
        this.gate = gate;
        this.journal = journal;
        this.patience = settings.lease();
        this.secret = !settings.secrets().isEmpty();
    }

    Company look(Incarnation self, LiveMembers live) {
        if (!secret) {
            return new Company(live, Set.of(), false);
        }
        Map<String, String> holders = live.incarnations();
        recognised.keySet().retainAll(holders.keySet());
        doubts.keySet().retainAll(holders.keySet());
        recognised.put(self.id(), self.name());
        Set<String> strangers = new HashSet<>();
        holders.forEach((id, incarnation) -> {
            if (!incarnation.equals(recognised.get(id)) && isStranger(id, incarnation)) {
                strangers.add(id);
            }
        });
        long others = strangers.stream()
                .map(doubts::get)
                .filter(doubt -> doubt != null && doubt.otherSecret())
                .count();
        Map<String, String> members = new TreeMap<>(holders);
        if (recognised.size() > others) {
            members.keySet().removeAll(strangers);
        }
        return new Company(new LiveMembers(live.askedAt(), members), strangers, others > recognised.size());
    }

    /** Once recognised, an incarnation stays so while it holds its lease, whatever somebody writes over its record. */
    private boolean isStranger(String id, String incarnation) {
        recognised.remove(id);
        Optional<Admission> admission =
                store.get(keys.member(id)).map(record -> gate.admit(id, record.value(), incarnation));
        if (admission.isPresent() && !(admission.get() instanceof Admission.Refused)) {
            recognised.put(id, incarnation);
            doubts.remove(id);
            return false;
        }
        long now = clockwork.nanos();
        Doubt before = doubts.get(id);
        Doubt doubt = before != null && before.incarnation().equals(incarnation)
                ? before
                : new Doubt(incarnation, now, false, false);
        boolean stranger = now - doubt.since() > patience.toNanos();
        boolean told = doubt.told();
        boolean otherSecret = false;
        if (admission.isPresent() && admission.get() instanceof Admission.Refused refused) {
            otherSecret = refused.cause() == Cause.ALTERED;
            if (stranger && !told) {
                journal.memberRefused(refused);
                told = true;
            }
        }
        doubts.put(id, new Doubt(incarnation, doubt.since(), otherSecret, told));
        return stranger;
    }
}

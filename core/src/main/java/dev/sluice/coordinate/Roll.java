package dev.sluice.coordinate;

import dev.sluice.coordinate.assign.Candidate;
import dev.sluice.coordinate.identity.Admission;
import dev.sluice.coordinate.identity.MemberGate;
import dev.sluice.coordinate.identity.MemberRecord;
import dev.sluice.coordinate.identity.MemberState;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The members whose records count, by id: live, and who they say they are. */
record Roll(Map<String, MemberRecord> members) {
    Roll {
        members = new TreeMap<>(members);
    }

    static Roll call(List<Entry> records, GroupKeys keys, LiveMembers live, MemberGate gate, GroupJournal journal) {
        Map<String, MemberRecord> members = new TreeMap<>();
        for (Entry entry : records) {
            String id = keys.memberId(entry.key());
            String holder = live.incarnations().get(id);
            if (holder != null) {
                switch (gate.admit(id, entry.value(), holder)) {
                    case Admission.Admitted admitted -> members.put(id, admitted.member());
                    case Admission.Outdated outdated -> members.put(id, outdated.newest());
                    case Admission.Refused refused -> journal.memberRefused(refused);
                }
            }
        }
        return new Roll(members);
    }

    Collection<Candidate> ready() {
        return members.values().stream()
                .filter(member -> member.state() == MemberState.READY)
                .map(MemberRecord::candidate)
                .toList();
    }

    Set<String> leaving() {
        return members.values().stream()
                .filter(member -> member.state() == MemberState.LEAVING)
                .map(MemberRecord::id)
                .collect(Collectors.toSet());
    }

    Optional<Candidate> candidate(String id) {
        return Optional.ofNullable(members.get(id)).map(MemberRecord::candidate);
    }
}

package dev.sluice.outbox.relay;

import dev.sluice.outbox.table.Burial;
import dev.sluice.outbox.table.Parked;
import dev.sluice.outbox.table.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is to be written about a batch after it was sent: decided once, written until it is done.
 *
 * @param sent rows that leave the table
 * @param unparked keys whose first row is through
 * @param blocked topics that take nothing, with the reason; not written, their rows stay as they are
 * @param answered topics that took something, or said why not this row
 */
record Settlement(
        List<Row> sent,
        List<String> unparked,
        List<Parked> parked,
        List<Burial> buried,
        Map<String, String> blocked,
        Set<String> answered) {

    static Settlement of(
            List<Row> rows, List<SendOutcome> outcomes, ParkedKeys parkedKeys, RelaySettings.RetryLimits limits) {
        if (outcomes.size() != rows.size()) {
            throw new IllegalStateException(
                    "the sink was given " + rows.size() + " rows and tells of " + outcomes.size());
        }
        Settlement settlement = new Settlement(
                new ArrayList<>(rows.size()),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new HashMap<>(),
                new HashSet<>());
        Set<String> stuck = new HashSet<>();
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            switch (outcomes.get(i)) {
                case SendOutcome.Sent sent -> settlement.sent(row, parkedKeys);
                case SendOutcome.Held held -> stuck.add(row.key());
                case SendOutcome.Blocked blocked -> settlement.blocked.put(row.topic(), blocked.reason());
                case SendOutcome.Refused refused -> {
                    settlement.answered.add(row.topic());
                    if (!stuck.contains(row.key())) {
                        int attempts = parkedKeys.failures(row) + 1;
                        boolean later = isSentLater(rows, outcomes, i);
                        settlement.buried.add(new Burial(row, refused.reason(), attempts, later));
                    }
                }
                case SendOutcome.Failed failed -> {
                    settlement.answered.add(row.topic());
                    if (stuck.add(row.key())) {
                        int attempts = parkedKeys.failures(row) + 1;
                        if (attempts >= limits.attempts()) {
                            boolean later = isSentLater(rows, outcomes, i);
                            settlement.buried.add(new Burial(row, failed.reason(), attempts, later));
                        } else {
                            settlement.parked.add(
                                    new Parked(row.key(), row.id(), attempts, limits.after(attempts), failed.reason()));
                        }
                    }
                }
            }
        }
        settlement.answered.removeAll(settlement.blocked.keySet());
        return settlement;
    }

    private void sent(Row row, ParkedKeys parkedKeys) {
        sent.add(row);
        answered.add(row.topic());
        if (parkedKeys.contains(row.key())) {
            unparked.add(row.key());
        }
    }

    private static boolean isSentLater(List<Row> rows, List<SendOutcome> outcomes, int of) {
        for (int i = of + 1; i < rows.size(); i++) {
            if (outcomes.get(i) instanceof SendOutcome.Sent
                    && rows.get(i).key().equals(rows.get(of).key())) {
                return true;
            }
        }
        return false;
    }

    List<Long> sentIds() {
        return sent.stream().map(Row::id).toList();
    }
}

package dev.sluice.outbox.kafka;

import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.relay.SinkUnavailableException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.admin.Admin;

/**
 * The senders from before the number of partitions changed, whose rows are now in other partitions. They are shut out, and then
 * it is known what they sent. Once per generation is enough: the table has refused the generations before since the first
 * claim of this one, so a sender of theirs that starts after it was shut out here finds out before it sends.
 */
final class Predecessors {
    private final Map<String, List<ProgressTopic.Of>> known = new ConcurrentHashMap<>();
    private final ReentrantLock oneAtATime = new ReentrantLock();

    List<ProgressTopic.Of> sent(Admin admin, Sink.Opening opening, ProgressTopic progress)
            throws SinkUnavailableException, InterruptedException {
        long generation = opening.token().generation();
        String which = opening.outbox() + '/' + opening.identity() + '/' + generation;
        oneAtATime.lockInterruptibly();
        try {
            List<ProgressTopic.Of> last = known.get(which);
            if (last == null) {
                if (generation > 1) {
                    new Transactions(admin, opening).fenceOlder();
                }
                // In the first generation nobody was before, and nobody else's must be there either.
                last = progress.before(progress.partitions(admin));
                known.put(which, last);
            }
            return last;
        } finally {
            oneAtATime.unlock();
        }
    }
}

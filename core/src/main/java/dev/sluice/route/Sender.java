package dev.sluice.route;

import dev.sluice.model.FencingToken;
import java.util.List;
import java.util.function.Consumer;

/** The partition a match is sent for. A lane calls it while holding no lock. */
interface Sender {
    int partition();

    FencingToken token();

    /** Whether it is still ours. */
    boolean isOpen();

    /** The next number of this subscription, from 1. */
    long nextSeq(String subscriptionId);

    /** These are done: acknowledged, kept as dead letters, or not wanted by anybody any more. */
    void settled(List<Owed> done);

    /** A gateway knows a newer owner. Says whether the store still proves us right; otherwise the partition stops. */
    void fenced(String gatewayId, String reason, Consumer<Boolean> stillOurs);
}

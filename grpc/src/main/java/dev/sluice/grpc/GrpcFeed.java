package dev.sluice.grpc;

import dev.sluice.grpc.puller.v1.Encoding;
import dev.sluice.grpc.puller.v1.SubscribeRequest;
import dev.sluice.model.ProgressMarker;
import dev.sluice.route.EventFeed;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The stream of a Puller elsewhere. Each reader has a connection of its own, so that one which stands still holds up no
 * other; the one opened after a reader failed goes to the next address.
 */
public final class GrpcFeed implements EventFeed {
    private final PullerAccess access;
    private final Duration silence;
    private final AtomicInteger failures = new AtomicInteger();

    /** @param silence a Puller that sends neither events nor heartbeats for so long is given up */
    public GrpcFeed(PullerAccess access, Duration silence) {
        this.access = access;
        this.silence = silence;
    }

    @Override
    public Reader open(String label, @Nullable ProgressMarker after, int partition, int partitions) {
        SubscribeRequest request = SubscribeRequest.newBuilder()
                .setConsumerId(label)
                .setAfter(after == null ? "" : after.encode())
                .addPartitions(partition)
                .setNumPartitions(partitions)
                .setHeartbeats(true)
                .setEncoding(Encoding.BSON)
                .build();
        int turn = failures.get();
        String address =
                access.addresses().get(Math.floorMod(turn, access.addresses().size()));
        // All readers of one address fail together: the first of them moves on, for all.
        Runnable failed = () -> failures.compareAndSet(turn, turn + 1);
        return new GrpcReader(address, access.channel(address), request, silence, failed);
    }
}

package dev.sluice.bench;

import dev.sluice.grpc.streamer.v1.DeliveryAck;
import dev.sluice.grpc.streamer.v1.EventBatch;
import dev.sluice.grpc.streamer.v1.Retry;
import dev.sluice.grpc.streamer.v1.StreamerEvent;
import dev.sluice.grpc.streamer.v1.StreamerServiceGrpc;
import dev.sluice.net.ListenAddress;
import dev.sluice.net.Listening;
import dev.sluice.net.Protection;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;

/** A gateway that wants the events of one subscription later, for as long as it is told to, and takes all others. */
final class LaterGateway extends StreamerServiceGrpc.StreamerServiceImplBase implements AutoCloseable {
    private final String subscription;
    private final Server server;
    private final Set<String> told = new HashSet<>();
    private boolean stuck;
    private long others;
    private long later;
    private int owed;
    private List<LatencyHistogram> slices = List.of();
    private long sliceMillis;
    private long start;

    /** @param subscription the one that may be stuck */
    LaterGateway(String subscription) throws IOException {
        this.subscription = subscription;
        this.server = NettyServerBuilder.forAddress(
                        Listening.permit("a benchmark's gateway", ListenAddress.loopback(0), Protection.NONE))
                .maxInboundMessageSize(64 << 20)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .addService(this)
                .build()
                .start();
    }

    String endpoint() {
        return "127.0.0.1:" + server.getPort();
    }

    /** From now on latencies count, by slices of so many seconds of the source's time. */
    synchronized void begin(boolean isStuck, int sliceSeconds, int seconds) {
        stuck = isStuck;
        sliceMillis = sliceSeconds * 1000L;
        start = System.currentTimeMillis();
        slices = new ArrayList<>();
        for (int k = 0; k < seconds / sliceSeconds; k++) {
            slices.add(new LatencyHistogram(0));
        }
    }

    /** Nothing is wanted later any more. */
    synchronized void end() {
        stuck = false;
        slices = List.of();
    }

    synchronized List<LatencyHistogram> slices() {
        return slices;
    }

    /** Deliveries of the other subscriptions, since the start. */
    synchronized long others() {
        return others;
    }

    /** Deliveries that were wanted later. */
    synchronized long later() {
        return later;
    }

    /** The subscription that may be stuck is owed so many more events; returns how many in all. */
    synchronized int owe(int more) {
        owed += more;
        return owed;
    }

    /** How many different events it has taken. */
    synchronized int told() {
        return told.size();
    }

    @Override
    public void deliverEvents(EventBatch batch, StreamObserver<DeliveryAck> answers) {
        answers.onNext(answer(batch.getEventsList()));
        answers.onCompleted();
    }

    private synchronized DeliveryAck answer(List<StreamerEvent> events) {
        DeliveryAck.Builder ack = DeliveryAck.newBuilder();
        int accepted = 0;
        for (int k = 0; k < events.size(); k++) {
            StreamerEvent event = events.get(k);
            boolean isOther = !event.getSubscriptionId().equals(subscription);
            if (stuck && !isOther) {
                later++;
                ack.addRetries(Retry.newBuilder().setIndex(k).setReason("its client reads nothing"));
                continue;
            }
            accepted++;
            if (isOther) {
                others++;
                count(event.getTimestamp());
            } else {
                told.add(event.getEventId());
            }
        }
        return ack.setAccepted(accepted).build();
    }

    private void count(long time) {
        int at = (int) Math.floorDiv(time - start, sliceMillis == 0 ? 1 : sliceMillis);
        if (at >= 0 && at < slices.size()) {
            slices.get(at).add(time);
        }
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}

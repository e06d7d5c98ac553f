package dev.sluice.gateway;

import com.google.protobuf.ByteString;
import dev.sluice.grpc.streamer.v1.DeliveryAck;
import dev.sluice.grpc.streamer.v1.EventBatch;
import dev.sluice.grpc.streamer.v1.FencingToken;
import dev.sluice.grpc.streamer.v1.StreamerEvent;
import dev.sluice.grpc.streamer.v1.StreamerServiceGrpc;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.nats.client.Connection;
import io.nats.client.Nats;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** Sends batches to a gateway as its protocol wants them, and reads the answer back to the one form NATS has. */
interface Sender extends AutoCloseable {
    String send(List<Incoming> batch) throws Exception;

    default String send(Incoming... batch) throws Exception {
        return send(List.of(batch));
    }

    @Override
    default void close() throws Exception {}

    /** A request without a body goes first: with one, the JDK's client sends it in HTTP/1.1. */
    static Sender http(String address) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        client.send(
                HttpRequest.newBuilder(URI.create(address + HttpEndpoint.PATH))
                        .method("OPTIONS", HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.discarding());
        return new Sender() {
            @Override
            public String send(List<Incoming> batch) throws Exception {
                var answer = client.send(
                        HttpRequest.newBuilder(URI.create(address + HttpEndpoint.PATH))
                                .header("X-Streamer-Node", "test")
                                .POST(HttpRequest.BodyPublishers.ofString(Events.body(batch)))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                return answer.statusCode() + " " + answer.version() + " " + answer.body();
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }

    static Sender grpc(String address, String gatewayId) {
        ManagedChannel channel = Grpc.newChannelBuilder(address, InsecureChannelCredentials.create())
                .build();
        return new Sender() {
            @Override
            public String send(List<Incoming> batch) {
                EventBatch.Builder message = EventBatch.newBuilder().setGatewayId(gatewayId);
                batch.forEach(each -> message.addEvents(message(each)));
                try {
                    DeliveryAck ack =
                            StreamerServiceGrpc.newBlockingStub(channel).deliverEvents(message.build());
                    return "OK " + ack.getAccepted() + " " + ack.getRejected() + " "
                            + ack.getRejectionsList().stream()
                                    .map(each -> each.getIndex() + ":" + each.getReason())
                                    .toList();
                } catch (StatusRuntimeException failed) {
                    return failed.getStatus().getCode() + " "
                            + failed.getStatus().getDescription();
                }
            }

            @Override
            public void close() {
                channel.shutdownNow();
            }
        };
    }

    private static StreamerEvent message(Incoming sent) {
        ReceivedEvent event = sent.event();
        return StreamerEvent.newBuilder()
                .setSubscriptionId(event.subscriptionId())
                .setEventType(event.type().text())
                .setTenant(event.tenant())
                .setCollection(event.collection())
                .setDocumentId(event.documentId())
                .setPayload(ByteString.copyFromUtf8(event.document().orElse("")))
                .setSeq(sent.seq())
                .setPartitionId(sent.partition())
                .setEventId(event.eventId())
                .setFencingToken(FencingToken.newBuilder()
                        .setGeneration(sent.token().generation())
                        .setEpoch(sent.token().epoch()))
                .setTimestamp(event.timestamp())
                .setProgress(event.progress())
                .setRepresentative(sent.standsFor() != null)
                .setPriority(sent.standsFor() == null ? "" : sent.standsFor().text())
                .setRevision(sent.revision())
                .setLog(sent.log())
                .build();
    }

    static Sender nats(String url, String gatewayId) throws Exception {
        Connection connection = Nats.connect(url);
        return new Sender() {
            @Override
            public String send(List<Incoming> batch) throws Exception {
                byte[] body = Events.body(batch).getBytes(StandardCharsets.UTF_8);
                var reply = connection.request("sluice.streamer.events." + gatewayId, body, Duration.ofSeconds(10));
                return new String(reply.getData(), StandardCharsets.UTF_8);
            }

            @Override
            public void close() throws InterruptedException {
                connection.close();
            }
        };
    }
}

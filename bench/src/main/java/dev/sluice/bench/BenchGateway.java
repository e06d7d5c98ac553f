package dev.sluice.bench;

import dev.sluice.grpc.streamer.v1.DeliveryAck;
import dev.sluice.grpc.streamer.v1.EventBatch;
import dev.sluice.grpc.streamer.v1.StreamerEvent;
import dev.sluice.grpc.streamer.v1.StreamerServiceGrpc;
import dev.sluice.net.ListenAddress;
import dev.sluice.net.Listening;
import dev.sluice.net.Protection;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http2.Http2Config;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import java.util.function.LongConsumer;

/** A gateway that takes everything and hands on the source's time of each event. */
interface BenchGateway extends AutoCloseable {
    String protocol();

    String endpoint();

    @Override
    void close();

    /** @param gate passed before each answer; a gateway hangs where it does */
    static BenchGateway grpc(LongConsumer times, Runnable gate) throws IOException {
        Server server = NettyServerBuilder.forAddress(loopback())
                .maxInboundMessageSize(64 << 20)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .addService(new StreamerServiceGrpc.StreamerServiceImplBase() {
                    @Override
                    public void deliverEvents(EventBatch batch, StreamObserver<DeliveryAck> answers) {
                        gate.run();
                        for (StreamerEvent event : batch.getEventsList()) {
                            times.accept(event.getTimestamp());
                        }
                        answers.onNext(DeliveryAck.newBuilder()
                                .setAccepted(batch.getEventsCount())
                                .build());
                        answers.onCompleted();
                    }
                })
                .build()
                .start();
        return of("grpc", "127.0.0.1:" + server.getPort(), server::shutdownNow);
    }

    private static InetSocketAddress loopback() {
        return Listening.permit("a benchmark's gateway", ListenAddress.loopback(0), Protection.NONE);
    }

    /** Over HTTP/2; it reads no more of the body than it must, so that the Streamer is what is measured. */
    static BenchGateway http(LongConsumer times) {
        WebServer server = WebServer.builder()
                .address(loopback().getAddress())
                .port(0)
                .connectionOptions(options -> options.tcpNoDelay(true))
                .addProtocol(Http2Config.create())
                .addProtocol(Http1Config.create())
                .routing(routing -> routing.post("/internal/v1/streamer/events", (request, response) -> {
                    TimestampScan.scan(request.content().as(byte[].class), times);
                    response.send();
                }))
                .build()
                .start();
        return of("http", "http://127.0.0.1:" + server.port(), server::stop);
    }

    private static BenchGateway of(String protocol, String endpoint, Runnable close) {
        return new BenchGateway() {
            @Override
            public String protocol() {
                return protocol;
            }

            @Override
            public String endpoint() {
                return endpoint;
            }

            @Override
            public void close() {
                close.run();
            }
        };
    }
}

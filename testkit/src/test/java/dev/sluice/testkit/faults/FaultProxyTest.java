package dev.sluice.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FaultProxyTest {

    private static final int BRIEFLY = 200;
    private static final int LONG = 20_000;
    private static final Fault SWALLOW = new Fault.Swallow();
    private static final Fault STALL = new Fault.Stall();

    private final RecordingServer server = new RecordingServer();
    private final FaultProxy proxy = FaultProxy.inFrontOf(server.port());

    FaultProxyTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        proxy.close();
        server.close();
    }

    @Test
    void passesEveryByteBothWaysAndCountsThem() throws Exception {
        byte[] request = random(1_000_000);
        byte[] reply = random(300_000);
        try (Socket client = connect();
                Socket target = server.next()) {
            var received = RecordingServer.drain(target);
            client.getOutputStream().write(request);
            client.shutdownOutput();
            assertThat(received.get(10, TimeUnit.SECONDS)).isEqualTo(request);
            target.getOutputStream().write(reply);
            target.shutdownOutput();
            assertThat(client.getInputStream().readAllBytes()).isEqualTo(reply);
        }
        assertThat(proxy.bytes(Direction.TO_TARGET)).isEqualTo(request.length);
        assertThat(proxy.bytes(Direction.TO_CLIENT)).isEqualTo(reply.length);
        assertThat(proxy.connections()).isEqualTo(1);
        awaitOpenConnections(0);
    }

    @Test
    void aDelayHoldsEachPieceBackInOneDirectionOnly() throws Exception {
        try (Socket client = connect();
                Socket target = server.next()) {
            proxy.set(Direction.TO_CLIENT, new Fault.Delay(Duration.ofMillis(150), Duration.ofMillis(50)));
            long start = System.nanoTime();
            send(client, 1);
            assertThat(receive(target, LONG)).isEqualTo(1);
            long there = millisSince(start);
            send(target, 2);
            assertThat(receive(client, LONG)).isEqualTo(2);
            long back = millisSince(start) - there;
            assertThat(back).isGreaterThanOrEqualTo(150);
            print("delay: there %d ms, back %d ms", there, back);
        }
    }

    @Test
    void aDelayIsNotAThrottle() throws Exception {
        byte[] data = random(4_000_000);
        proxy.set(new Fault.Delay(Duration.ofMillis(100), Duration.ZERO));
        try (Socket client = connect();
                Socket target = server.next()) {
            var received = RecordingServer.drain(target);
            long start = System.nanoTime();
            client.getOutputStream().write(data);
            client.shutdownOutput();
            assertThat(received.get(20, TimeUnit.SECONDS)).isEqualTo(data);
            print("delay of 100 ms: 4 MB in %d ms; one piece after the other would take 25 s", millisSince(start));
        }
    }

    @Test
    void healingLetsGoWhatADelayHeld() throws Exception {
        try (Socket client = connect();
                Socket target = server.next()) {
            proxy.set(new Fault.Delay(Duration.ofHours(1), Duration.ZERO));
            send(client, 5);
            assertThatThrownBy(() -> receive(target, BRIEFLY)).isInstanceOf(SocketTimeoutException.class);
            proxy.heal();
            assertThat(receive(target, LONG)).isEqualTo(5);
        }
    }

    @Test
    void aThrottleLetsOnlySoManyBytesPerSecondPass() throws Exception {
        byte[] data = random(50_000);
        proxy.set(Direction.TO_TARGET, new Fault.Throttle(100_000));
        try (Socket client = connect();
                Socket target = server.next()) {
            var received = RecordingServer.drain(target);
            long start = System.nanoTime();
            client.getOutputStream().write(data);
            client.shutdownOutput();
            assertThat(received.get(20, TimeUnit.SECONDS)).isEqualTo(data);
            assertThat(millisSince(start)).isGreaterThanOrEqualTo(400);
            print("throttle to 100 kB/s: 50 kB in %d ms", millisSince(start));
        }
    }

    @Test
    void aThrottleIsSharedByAllConnections() throws Exception {
        proxy.set(Direction.TO_TARGET, new Fault.Throttle(100_000));
        try (Socket one = connect();
                Socket oneTarget = server.next();
                Socket two = connect();
                Socket twoTarget = server.next()) {
            var first = RecordingServer.drain(oneTarget);
            var second = RecordingServer.drain(twoTarget);
            long start = System.nanoTime();
            for (Socket client : new Socket[] {one, two}) {
                client.getOutputStream().write(new byte[25_000]);
                client.shutdownOutput();
            }
            assertThat(first.get(20, TimeUnit.SECONDS)).hasSize(25_000);
            assertThat(second.get(20, TimeUnit.SECONDS)).hasSize(25_000);
            assertThat(millisSince(start)).isGreaterThanOrEqualTo(400);
        }
    }

    @Test
    void aCutResetsConnectionsAndRefusesNewOnesUntilHealed() throws Exception {
        int port = proxy.port();
        try (Socket client = connect();
                Socket target = server.next()) {
            ping(client, target);
            proxy.cut();
            assertThatThrownBy(() -> receive(client, LONG)).isInstanceOf(SocketException.class);
            assertThatThrownBy(() -> receive(target, LONG)).isInstanceOf(SocketException.class);
        }
        assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        assertThat(proxy.openConnections()).isZero();
        for (int round = 0; round < 3; round++) {
            proxy.heal();
            assertThat(proxy.port()).isEqualTo(port);
            try (Socket client = connect();
                    Socket target = server.next()) {
                ping(client, target);
            }
            proxy.cut();
            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        }
    }

    /** A process that is being started holds a copy of every socket for a moment, the listening one too. */
    @Test
    void aCutRefusesConnectionsAlsoWhileProcessesAreStarted() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        Thread starter = Thread.ofPlatform().start(() -> {
            while (!stop.get()) {
                try {
                    new ProcessBuilder("true").start().waitFor();
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        try {
            for (int round = 0; round < 100; round++) {
                proxy.cut();
                assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
                proxy.heal();
            }
        } finally {
            stop.set(true);
            starter.join();
        }
    }

    @Test
    void droppingConnectionsLetsClientsConnectAgainAtOnce() throws Exception {
        try (Socket client = connect();
                Socket target = server.next()) {
            ping(client, target);
            proxy.dropConnections();
            assertThatThrownBy(() -> receive(client, LONG)).isInstanceOf(SocketException.class);
            assertThatThrownBy(() -> receive(target, LONG)).isInstanceOf(SocketException.class);
        }
        try (Socket client = connect();
                Socket target = server.next()) {
            ping(client, target);
        }
    }

    @Test
    void aStallReadsNothingPassesNothingAndLosesNothing() throws Exception {
        try (SocketChannel client = SocketChannel.open(address());
                Socket target = server.next()) {
            proxy.set(Direction.TO_TARGET, STALL);
            client.configureBlocking(false);
            long sent = sendUntilBlocked(client, 256L << 20);
            print("stall: the sender ran into a full window after %d kB", sent / 1024);
            assertThat(sent).isLessThan(64L << 20);
            assertThatThrownBy(() -> receive(target, BRIEFLY)).isInstanceOf(SocketTimeoutException.class);
            assertThat(proxy.bytes(Direction.TO_TARGET)).isZero();

            target.setSoTimeout(LONG);
            var received = RecordingServer.drain(target);
            proxy.heal();
            client.configureBlocking(true);
            client.shutdownOutput();
            assertThat(received.get(20, TimeUnit.SECONDS)).hasSize((int) sent);
        }
    }

    @Test
    void aStallHoldsNewConnectionsToo() throws Exception {
        proxy.set(STALL);
        try (Socket client = connect();
                Socket target = server.next()) {
            send(client, 1);
            send(target, 2);
            assertThatThrownBy(() -> receive(target, BRIEFLY)).isInstanceOf(SocketTimeoutException.class);
            assertThatThrownBy(() -> receive(client, BRIEFLY)).isInstanceOf(SocketTimeoutException.class);
            proxy.heal();
            assertThat(receive(target, LONG)).isEqualTo(1);
            assertThat(receive(client, LONG)).isEqualTo(2);
        }
    }

    @Test
    void swallowingTakesEverythingSilentlyAndAHealedConnectionNeverContinuesBehindTheGap() throws Exception {
        try (Socket client = connect();
                Socket target = server.next()) {
            proxy.set(Direction.TO_TARGET, SWALLOW);
            client.getOutputStream().write(new byte[64 << 20]);
            assertThatThrownBy(() -> receive(target, BRIEFLY)).isInstanceOf(SocketTimeoutException.class);
            send(target, 9);
            assertThat(receive(client, LONG)).isEqualTo(9);
            proxy.heal();
            assertThatThrownBy(() -> receive(target, LONG)).isInstanceOf(SocketException.class);
            assertThatThrownBy(() -> receive(client, LONG)).isInstanceOf(SocketException.class);
        }
        try (Socket client = connect();
                Socket target = server.next()) {
            ping(client, target);
        }
    }

    @Test
    void aConnectionThatLostNothingSurvivesTheBlackHole() throws Exception {
        try (Socket client = connect();
                Socket target = server.next()) {
            ping(client, target);
            proxy.set(SWALLOW);
            proxy.heal();
            ping(client, target);
        }
    }

    @Test
    void aBlackHolePassesNoEndOfConnectionEither() throws Exception {
        for (Fault hole : new Fault[] {SWALLOW, STALL}) {
            try (Socket client = connect();
                    Socket target = server.next()) {
                ping(client, target);
                proxy.set(hole);
                client.close();
                assertThatThrownBy(() -> receive(target, BRIEFLY)).isInstanceOf(SocketTimeoutException.class);
                proxy.heal();
                assertEnds(target);
            }
        }
    }

    @Test
    void aHalfCloseEndsOneDirectionAndTheOtherGoesOn() throws Exception {
        for (Direction direction : Direction.values()) {
            try (Socket client = connect();
                    Socket target = server.next()) {
                ping(client, target);
                Socket receiver = direction == Direction.TO_TARGET ? target : client;
                Socket sender = direction == Direction.TO_TARGET ? client : target;
                proxy.halfClose(direction);
                assertThat(receive(receiver, LONG)).isEqualTo(-1);
                send(sender, 1);
                for (int i = 0; i < 3; i++) {
                    send(receiver, i);
                    assertThat(receive(sender, LONG)).isEqualTo(i);
                }
            }
        }
    }

    @Test
    void cutsRightBehindTheGivenByteAndThenPassesAgain() throws Exception {
        byte[] data = random(100_000);
        for (int cut : new int[] {0, 1, 16_384, 70_001}) {
            try (Socket client = connect();
                    Socket target = server.next()) {
                var received = RecordingServer.drain(target);
                proxy.set(Direction.TO_TARGET, new Fault.CutAfter(cut));
                try {
                    client.getOutputStream().write(data);
                } catch (SocketException cutWhileWriting) {
                    // Depends on how far the sender was.
                }
                byte[] arrived = received.get(10, TimeUnit.SECONDS);
                assertThat(arrived).isEqualTo(Arrays.copyOf(data, cut));
                assertEnds(client);
            }
            try (Socket client = connect();
                    Socket target = server.next()) {
                ping(client, target);
            }
        }
    }

    @Test
    void cutsBehindTheLastByteWithoutWaitingForAnother() throws Exception {
        try (Socket client = connect();
                Socket target = server.next()) {
            proxy.set(Direction.TO_CLIENT, new Fault.CutAfter(1));
            send(target, 3);
            assertThat(receive(client, LONG)).isEqualTo(3);
            assertEnds(client);
        }
    }

    @Test
    void aTargetThatIsAwayResetsTheClientAndIsFoundWhenItReturns() throws Exception {
        int port = server.port();
        server.close();
        try (Socket client = connect()) {
            assertThatThrownBy(() -> receive(client, LONG)).isInstanceOf(SocketException.class);
        }
        try (ServerSocket again = new ServerSocket()) {
            again.setReuseAddress(true);
            again.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            try (Socket client = connect();
                    Socket target = again.accept()) {
                ping(client, target);
            }
        }
    }

    @Test
    void aResetOfOneSideReachesTheOther() throws Exception {
        try (Socket client = connect();
                Socket target = server.next()) {
            ping(client, target);
            target.setSoLinger(true, 0);
            target.close();
            assertThatThrownBy(() -> receive(client, LONG)).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void closingEndsEverythingAndMayBeRepeated() throws Exception {
        try (Socket client = connect();
                Socket target = server.next()) {
            ping(client, target);
            proxy.close();
            proxy.close();
            assertThatThrownBy(() -> receive(client, LONG)).isInstanceOf(SocketException.class);
            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        }
    }

    private static void ping(Socket client, Socket target) throws IOException {
        send(client, 41);
        assertThat(receive(target, LONG)).isEqualTo(41);
        send(target, 42);
        assertThat(receive(client, LONG)).isEqualTo(42);
    }

    private static void assertEnds(Socket socket) throws IOException {
        try {
            assertThat(receive(socket, LONG)).isEqualTo(-1);
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the connection is still open", e);
        } catch (SocketException reset) {
            assertThat(reset).hasMessageContaining("reset");
        }
    }

    private static long sendUntilBlocked(SocketChannel client, long limit) throws Exception {
        ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);
        long sent = 0;
        for (int refusals = 0; refusals < 20 && sent < limit; ) {
            int n = client.write(buffer.clear());
            sent += n;
            if (n == 0) {
                refusals++;
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }
        return sent;
    }

    private void awaitOpenConnections(int count) {
        long start = System.nanoTime();
        while (proxy.openConnections() != count && millisSince(start) < LONG) {
            Thread.onSpinWait();
        }
        assertThat(proxy.openConnections()).isEqualTo(count);
    }

    private InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port());
    }

    private Socket connect() throws IOException {
        return new Socket(address().getAddress(), address().getPort());
    }

    private static void send(Socket socket, int b) throws IOException {
        socket.getOutputStream().write(b);
    }

    private static int receive(Socket socket, int timeoutMillis) throws IOException {
        socket.setSoTimeout(timeoutMillis);
        return socket.getInputStream().read();
    }

    private static long millisSince(long start) {
        return (System.nanoTime() - start) / 1_000_000;
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    @SuppressWarnings("SystemOut")
    private static void print(String format, Object... args) {
        System.out.printf(format + "%n", args);
    }
}

package dev.sluice.bench;

/**
 * What one server did in one turn.
 *
 * @param connect connections opened and subscribed by WebSocket
 * @param messages messages to WebSocket clients
 * @param heap live heap of the server
 * @param storm clients that came again at once and got what they missed
 */
record GatewayTurn(Sample connect, Sample messages, Heap heap, Storm storm) {
    /**
     * Bytes in use after a garbage collection.
     *
     * @param before no client is connected
     * @param idle all clients are connected and subscribed, and have received nothing
     * @param used all clients have received messages
     */
    record Heap(long before, long idle, long used) {}

    /**
     * A reconnect storm.
     *
     * @param reconnects clients per second until the last one has all it missed
     * @param half seconds until half of the clients have
     * @param nearly seconds until 99 % have
     */
    record Storm(Sample reconnects, double half, double nearly) {
        double all() {
            return reconnects.wallNanos() / 1e9;
        }
    }

    double idleBytesPerSocket() {
        return (double) (heap.idle - heap.before) / connect.events();
    }

    double usedBytesPerSocket() {
        return (double) (heap.used - heap.before) / connect.events();
    }
}

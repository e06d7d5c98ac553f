package dev.sluice.worker.chaos;

import dev.sluice.worker.stream.Delivery;
import dev.sluice.worker.stream.MessageStream;
import java.util.Random;

/** A stream whose client loses deliveries, as a slow one does: a few in a row, without any sign. */
final class LossyStream extends ForwardingStream {
    private static final int MOST_IN_A_ROW = 15;

    private final int lostOfTenThousand;
    private final Random random;

    LossyStream(MessageStream stream, int lostOfTenThousand, long seed) {
        super(stream);
        this.lostOfTenThousand = lostOfTenThousand;
        this.random = new Random(seed);
    }

    @Override
    public Pull pull(String consumer, Receiver receiver) {
        return super.pull(consumer, new LossyReceiver(receiver));
    }

    private int nextLoss() {
        synchronized (random) {
            return random.nextInt(10_000) < lostOfTenThousand ? 1 + random.nextInt(MOST_IN_A_ROW) : 0;
        }
    }

    private final class LossyReceiver implements Receiver {
        private final Receiver receiver;
        private int losing;

        private LossyReceiver(Receiver receiver) {
            this.receiver = receiver;
        }

        @Override
        public void delivered(Delivery delivery) {
            if (losing == 0) {
                losing = nextLoss();
            }
            if (losing > 0) {
                losing--;
                return;
            }
            receiver.delivered(delivery);
        }

        @Override
        public void idle(long delivered) {
            receiver.idle(delivered);
        }

        @Override
        public void broken(String reason) {
            receiver.broken(reason);
        }
    }
}

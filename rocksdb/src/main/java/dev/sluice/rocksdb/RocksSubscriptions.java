package dev.sluice.rocksdb;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.model.InvalidInputException;
import dev.sluice.subscribe.RegistryMark;
import dev.sluice.subscribe.SubscriptionRecord;
import dev.sluice.subscribe.SubscriptionStore;
import dev.sluice.subscribe.SubscriptionStoreException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;

/**
 * Subscriptions and gateways in a directory, each in a family of its own, by id; identity and highest revision of the
 * registry in the default family. Every call is one synced write.
 */
public final class RocksSubscriptions implements SubscriptionStore {
    /** Definitions only, as version 0.1 wrote them. */
    private static final int OLDEST_FORMAT = 1;

    private static final int FORMAT = 2;
    private static final String SUBSCRIPTIONS = "subscriptions";
    private static final String GATEWAYS = "gateways";

    /** Behind the protocol of a gateway. */
    private static final String UNDERSTANDS_EXCEPT = "+except";

    private static final byte[] IDENTITY = "identity".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REVISION = "revision".getBytes(StandardCharsets.US_ASCII);

    private final KeptTables tables;
    private final long identity;
    /** The highest ever written or tried; read and changed only by the one write at a time. */
    private long highest;

    /** @throws SubscriptionStoreException when the directory is damaged, of an unknown format, in use or not accessible */
    public RocksSubscriptions(Path directory) {
        this.tables = new KeptTables(
                "subscriptions",
                directory,
                OLDEST_FORMAT,
                FORMAT,
                List.of(SUBSCRIPTIONS, GATEWAYS),
                SubscriptionStoreException::new);
        try {
            identity = tables.write(RocksSubscriptions::identify);
            highest = tables.read(database -> number(database.getDefault(REVISION)));
        } catch (RuntimeException e) {
            tables.close();
            throw e;
        }
    }

    private static long identify(Database database, WriteBatch batch) throws RocksDBException {
        long known = number(database.getDefault(IDENTITY));
        if (known != 0) {
            return known;
        }
        long made = new SecureRandom().nextLong() | 1;
        batch.put(database.defaults(), IDENTITY, bytes(made));
        return made;
    }

    @Override
    public void save(Collection<SubscriptionRecord> records) {
        tables.write((database, batch) -> {
            long last = 0;
            for (SubscriptionRecord each : records) {
                batch.put(database.family(SUBSCRIPTIONS), key(each.id()), StoredSubscription.encode(each));
                last = Math.max(last, each.revision());
            }
            raise(last, database, batch);
            return records.size();
        });
    }

    @Override
    public void remove(Collection<String> ids, long revision) {
        tables.write((database, batch) -> {
            for (String id : ids) {
                batch.delete(database.family(SUBSCRIPTIONS), key(id));
            }
            raise(revision, database, batch);
            return ids.size();
        });
    }

    /** Also after a write that failed the number stays raised: a gap is harmless, falling back is not. */
    private void raise(long revision, Database database, WriteBatch batch) throws RocksDBException {
        boolean higher = revision > highest;
        highest = Math.max(highest, revision);
        if (higher || batch.count() > 0) {
            batch.put(database.defaults(), REVISION, bytes(highest));
        }
    }

    @Override
    public RegistryMark load(Consumer<SubscriptionRecord> each) {
        long revision = tables.read(database -> number(database.getDefault(REVISION)));
        forEach(SUBSCRIPTIONS, (id, record) -> each.accept(StoredSubscription.decode(id, record)));
        return new RegistryMark(identity, revision);
    }

    private static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private static long number(byte @Nullable [] bytes) {
        if (bytes == null) {
            return 0;
        }
        if (bytes.length != Long.BYTES) {
            throw new InvalidInputException("a number of the registry has " + bytes.length + " bytes");
        }
        return ByteBuffer.wrap(bytes).getLong();
    }

    @Override
    public void saveGateway(GatewayAddress gateway) {
        tables.write((database, batch) -> {
            String value = gateway.protocol().text()
                    + (gateway.understandsExcept() ? UNDERSTANDS_EXCEPT : "")
                    + ' '
                    + gateway.endpoint();
            batch.put(database.family(GATEWAYS), key(gateway.id()), value.getBytes(StandardCharsets.UTF_8));
            return gateway;
        });
    }

    @Override
    public void removeGateway(String id) {
        tables.write((database, batch) -> {
            batch.delete(database.family(GATEWAYS), key(id));
            return id;
        });
    }

    @Override
    public List<GatewayAddress> gateways() {
        List<GatewayAddress> gateways = new ArrayList<>();
        forEach(GATEWAYS, (id, record) -> gateways.add(gateway(id, record)));
        return gateways;
    }

    private static GatewayAddress gateway(byte[] id, byte[] record) {
        String value = new String(record, StandardCharsets.UTF_8);
        int space = value.indexOf(' ');
        if (space < 0) {
            throw new InvalidInputException("a gateway's record has no endpoint");
        }
        String protocol = value.substring(0, space);
        boolean understandsExcept = protocol.endsWith(UNDERSTANDS_EXCEPT);
        return new GatewayAddress(
                new String(id, StandardCharsets.UTF_8),
                Protocol.parse(protocol.replace(UNDERSTANDS_EXCEPT, "")),
                value.substring(space + 1),
                understandsExcept);
    }

    private interface Visitor {
        void visit(byte[] id, byte[] record);
    }

    private void forEach(String family, Visitor visitor) {
        tables.read(database -> {
            try (RocksIterator iterator = database.iterate(family)) {
                for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                    visitor.visit(iterator.key(), iterator.value());
                }
                iterator.status();
                return true;
            }
        });
    }

    private static byte[] key(String id) {
        return id.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        tables.close();
    }
}

package dev.sluice.etcd;

import dev.sluice.coordinate.Lease;
import io.etcd.jetcd.ByteSequence;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A lease of etcd with one key on it; the revision that created the key tells this lease from every other of its name. */
final class EtcdLease implements Lease {
    private static final Logger LOG = LoggerFactory.getLogger(EtcdLease.class);

    private final EtcdCoordinationStore store;
    private final EtcdConnection etcd;
    private final ByteSequence key;
    private final long id;
    private long revision = -1;

    EtcdLease(EtcdCoordinationStore store, EtcdConnection etcd, ByteSequence key, long id) {
        this.store = store;
        this.etcd = etcd;
        this.key = key;
        this.id = id;
    }

    void openedAt(long revision) {
        this.revision = revision;
    }

    /** Somebody may have deleted the key to end this member: then it has ended, though etcd's lease goes on. */
    @Override
    public boolean renew() {
        try {
            etcd.orFail(client -> client.getLeaseClient().keepAliveOnce(id));
        } catch (ExecutionException failed) {
            if (EtcdConnection.isGone(failed)) {
                return false;
            }
            throw etcd.unavailable("renew the lease " + key, failed);
        }
        return etcd.call("read the lease " + key, client -> client.getKVClient().get(key)).getKvs().stream()
                .anyMatch(found -> found.getCreateRevision() == revision);
    }

    @Override
    public OptionalLong put(String where, byte[] value, long expected) {
        return store.put(where, value, expected, List.of(EtcdCoordinationStore.created(key, revision)));
    }

    @Override
    public void close() {
        try {
            etcd.orFail(client -> client.getLeaseClient().revoke(id));
        } catch (ExecutionException leftToExpire) {
            LOG.atDebug().setCause(leftToExpire).addKeyValue("lease", key).log("lease left to expire");
        }
    }
}

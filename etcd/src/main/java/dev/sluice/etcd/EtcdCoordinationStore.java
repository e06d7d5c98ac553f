package dev.sluice.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.Keys;
import dev.sluice.coordinate.Lease;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Coordination in etcd (3.5 or newer): values as keys {@code {prefix}values/{key}}, leases as keys {@code
 * {prefix}leases/{name}} that hang on a lease of etcd. Revisions are etcd's, one sequence over everything. What failure means:
 *
 * <ul>
 *   <li>No answer within the request timeout, no leader, no majority, or access refused: StoreUnavailableException. Nothing
 *       is tried twice but reads and what etcd refused unseen, so a compare-and-set is never refused by its own first try.
 *   <li>A member of etcd dies: the next endpoint is used, within seconds. A write is kept once a majority has synced it.
 *   <li>etcd restarts or elects a leader: its leases live their whole time again from then on, so the dead are found later,
 *       the living never too early.
 *   <li>History is compacted or a watch is lost: it is made again and {@code changed} is called.
 *   <li>Lifetimes are whole seconds, and at least one and a half election timeouts (2 s by default): shorter ones are rounded
 *       up by etcd. Expiry is seen up to about a second late, and told to watchers.
 *   <li>etcd is restored from a snapshot: revisions go back, and this contract with them. Stop the cluster first, or restore
 *       with {@code --bump-revision}.
 * </ul>
 */
public final class EtcdCoordinationStore implements CoordinationStore {
    public static final String DEFAULT_PREFIX = "/sluice/coordination/";

    private final EtcdConnection etcd;
    private final String values;
    private final String leases;
    private final Set<EtcdWatch> watches = ConcurrentHashMap.newKeySet();

    /**
     * Does not connect yet: a server that is away is found by the first call.
     *
     * @param prefix of all keys of this cluster, with a slash at its end
     * @param timeout after which a call gives up
     */
    public EtcdCoordinationStore(EtcdAccess access, String prefix, Duration timeout) {
        this.etcd = new EtcdConnection(access, timeout);
        this.values = prefix + "values/";
        this.leases = prefix + "leases/";
    }

    @Override
    public Optional<Lease> openLease(String name, String holder, Duration ttl) {
        ByteSequence key = bytes(leases + Keys.check(name));
        long seconds = Keys.checkLifetime(ttl).plusSeconds(1).minusNanos(1).toSeconds();
        long id = etcd.call("open a lease", client -> client.getLeaseClient().grant(seconds))
                .getID();
        EtcdLease lease = new EtcdLease(this, etcd, key, id);
        boolean opened = false;
        try {
            PutOption underIt = PutOption.builder().withLeaseId(id).build();
            TxnResponse answer =
                    transact("open a lease", List.of(created(key, ABSENT)), Op.put(key, bytes(holder), underIt));
            opened = answer.isSucceeded();
            lease.openedAt(answer.getHeader().getRevision());
            return opened ? Optional.of(lease) : Optional.empty();
        } finally {
            if (!opened) {
                lease.close();
            }
        }
    }

    @Override
    public Map<String, String> leases(String prefix) {
        Map<String, String> holders = new TreeMap<>();
        for (KeyValue found : below("list leases", leases + Keys.checkPrefix(prefix))) {
            holders.put(text(found.getKey()).substring(leases.length()), text(found.getValue()));
        }
        return holders;
    }

    @Override
    public Optional<Entry> get(String key) {
        ByteSequence where = bytes(values + Keys.check(key));
        return etcd.call("read " + key, client -> client.getKVClient().get(where)).getKvs().stream()
                .findFirst()
                .map(this::entry);
    }

    @Override
    public List<Entry> list(String prefix) {
        return below("list " + prefix, values + Keys.checkPrefix(prefix)).stream()
                .map(this::entry)
                .toList();
    }

    @Override
    public OptionalLong put(String key, byte[] value, long expected) {
        return put(key, value, expected, List.of());
    }

    /** Writes if all these hold as well. */
    OptionalLong put(String key, byte[] value, long expected, List<Cmp> conditions) {
        ByteSequence where = bytes(values + Keys.check(key));
        Op write = Op.put(where, ByteSequence.from(Keys.checkValue(value)), PutOption.DEFAULT);
        List<Cmp> all = Stream.concat(conditions.stream(), Stream.of(changed(where, expected)))
                .toList();
        TxnResponse answer = transact("write " + key, all, write);
        return answer.isSucceeded() ? OptionalLong.of(answer.getHeader().getRevision()) : OptionalLong.empty();
    }

    @Override
    public boolean delete(String key, long expected) {
        ByteSequence where = bytes(values + Keys.check(key));
        Op delete = Op.delete(where, DeleteOption.DEFAULT);
        return expected != ABSENT
                && transact("delete " + key, List.of(changed(where, expected)), delete)
                        .isSucceeded();
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changed) {
        String checked = Keys.checkPrefix(prefix);
        List<EtcdWatch> both = Stream.of(values, leases)
                .map(folder -> new EtcdWatch(etcd, folder, checked, changed))
                .toList();
        watches.addAll(both);
        both.forEach(EtcdWatch::start);
        return () -> both.forEach(this::end);
    }

    private void end(EtcdWatch watch) {
        watch.close();
        watches.remove(watch);
    }

    private TxnResponse transact(String what, List<Cmp> conditions, Op then) {
        return etcd.call(
                what,
                client -> client.getKVClient()
                        .txn()
                        .If(conditions.toArray(Cmp[]::new))
                        .Then(then)
                        .commit());
    }

    private List<KeyValue> below(String what, String prefix) {
        GetOption all = GetOption.builder().isPrefix(true).build();
        return etcd.call(what, client -> client.getKVClient().get(bytes(prefix), all))
                .getKvs();
    }

    private Entry entry(KeyValue found) {
        String key = text(found.getKey()).substring(values.length());
        return new Entry(key, found.getValue().getBytes(), found.getModRevision());
    }

    static Cmp created(ByteSequence key, long revision) {
        return new Cmp(key, Cmp.Op.EQUAL, CmpTarget.createRevision(revision));
    }

    private static Cmp changed(ByteSequence key, long revision) {
        return new Cmp(key, Cmp.Op.EQUAL, CmpTarget.modRevision(revision));
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, UTF_8);
    }

    private static String text(ByteSequence bytes) {
        return bytes.toString(UTF_8);
    }

    @Override
    public void close() {
        watches.forEach(this::end);
        etcd.close();
    }
}

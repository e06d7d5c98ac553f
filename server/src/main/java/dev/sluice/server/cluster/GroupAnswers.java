package dev.sluice.server.cluster;

import dev.sluice.coordinate.Group;
import dev.sluice.coordinate.GroupStatus;
import dev.sluice.coordinate.audit.AuditEvent;
import dev.sluice.server.http.Json;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/** What the admin API says of a group, as JSON. */
public final class GroupAnswers {
    private GroupAnswers() {}

    public static BsonDocument status(Group group) {
        GroupStatus status = group.status();
        TreeMap<String, Object> withoutOwner = new TreeMap<>();
        status.withoutOwner().forEach((partition, time) -> withoutOwner.put(partition.toString(), time.toSeconds()));
        return Json.object(
                "group", status.group(),
                "healthy", status.isHealthy(),
                "says", status.sentence(),
                "member", status.member(),
                "incarnation", status.incarnation(),
                "state", status.state().name().toLowerCase(Locale.ROOT),
                "members", Json.array(status.members(), Json::value),
                "leader", status.leader(),
                "generation", status.generation(),
                "partitions", status.partitions(),
                "changing", status.changing(),
                "owned", Json.array(status.owned(), GroupAnswers::owned),
                "secondsWithoutOwner", Json.object(withoutOwner),
                "storeAwaySeconds", status.storeAwayFor().toSeconds(),
                "storeAwayReason", status.storeAwayFor().isZero() ? null : status.storeAwayReason());
    }

    private static BsonDocument owned(GroupStatus.Owned owned) {
        return Json.object(
                "partition", owned.partition(),
                "generation", owned.token().generation(),
                "epoch", owned.token().epoch(),
                "position", owned.position());
    }

    /** @param trail of a group, oldest first */
    public static BsonArray audit(List<AuditEvent> trail) {
        return Json.array(trail, GroupAnswers::event);
    }

    private static BsonDocument event(AuditEvent event) {
        return Json.object(
                "number", event.number(),
                "at", event.at(),
                "kind", event.kind().name().toLowerCase(Locale.ROOT),
                "member", event.member(),
                "partition", event.partition(),
                "token", event.token(),
                "detail", event.detail());
    }
}

package dev.sluice.server.cli;

import static dev.sluice.server.cli.TextTable.cut;
import static dev.sluice.server.cli.TextTable.value;

import dev.sluice.server.http.Json;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice subscriptions}: who wants to hear of what. */
@Command(
        name = "subscriptions",
        header = "Who wants to hear of what: list, show, add, remove.",
        synopsisHeading = "%nUsage:%n  ",
        customSynopsis = "sluice subscriptions list|show|add|remove [options]",
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n")
final class SubscriptionsCommand extends GroupCommand {
    private static final String PATH = "/internal/v1/subscriptions";

    static CommandLine create() {
        return new CommandLine(new SubscriptionsCommand())
                .addSubcommand(new ListThem())
                .addSubcommand(new Show())
                .addSubcommand(new Add())
                .addSubcommand(new Remove());
    }

    @Command(
            name = "list",
            header = "Show subscriptions, by id.",
            synopsisHeading = "%nUsage:%n  ",
            optionListHeading = "%nOptions:%n")
    static final class ListThem extends NodeCommand {
        private static final int FILTER = 60;

        @Option(names = "--gateway", paramLabel = "ID", description = "Only this gateway's.")
        private String gateway = "";

        @Option(names = "--tenant", paramLabel = "TENANT", description = "Only this tenant's.")
        private String tenant = "";

        @Option(names = "--collection", paramLabel = "NAME", description = "Only of this collection.")
        private String collection = "";

        @Option(names = "--limit", paramLabel = "N", description = "So many at most. Default: 100.")
        private int limit = 100;

        @Option(names = "--after", paramLabel = "TOKEN", description = "The next page, as the one before named it.")
        private String after = "";

        @Override
        public Integer call() throws InterruptedException {
            return show(
                    node.get(PATH + "?gatewayId=" + encoded(gateway) + "&tenant=" + encoded(tenant) + "&collection="
                            + encoded(collection) + "&pageSize=" + limit + "&pageToken=" + encoded(after)),
                    ListThem::table);
        }

        private static String table(BsonDocument answer) {
            var table = TextTable.of("SUBSCRIPTION", "GATEWAY", "TENANT", "COLLECTION", "PRIORITY", "FILTER");
            for (BsonValue item : answer.getArray("subscriptions")) {
                var one = item.asDocument();
                table.row(
                        value(one, "id"),
                        value(one, "gatewayId"),
                        value(one, "tenant"),
                        value(one, "collection"),
                        value(one, "priority"),
                        cut(filter(one), FILTER));
            }
            var next = value(answer, "nextPageToken");
            return (table.isEmpty() ? "no subscriptions\n" : table.toString())
                    + (next.equals("-") ? "" : "more with --after " + next + "\n");
        }

        private static String filter(BsonDocument one) {
            var filter = one.get("filter");
            return filter != null && filter.isDocument() ? Json.text(filter.asDocument()) : value(one, "filter");
        }
    }

    @Command(
            name = "show",
            header = "Show one: where it stands in each partition, and why it waits.",
            synopsisHeading = "%nUsage:%n  ",
            descriptionHeading = "%n",
            description = {
                "For each partition of the node that is asked: the delivery group (main, side, stuck), up to which cluster"
                        + " time events are acknowledged (ACKED), were handed over (READ) and are read by the partition (TAIL)."
            },
            parameterListHeading = "%nParameters:%n",
            optionListHeading = "%nOptions:%n")
    static final class Show extends NodeCommand {
        @Parameters(paramLabel = "ID", description = "As sluice subscriptions list shows it.")
        @SuppressWarnings("NullAway.Init")
        private String id;

        @Override
        public Integer call() throws InterruptedException {
            return show(node.get("/admin/v1/subscriptions/" + encoded(id)), SubscriptionStatusText::of);
        }
    }

    @Command(
            name = "add",
            header = "Register a subscription, or replace the one of its id.",
            synopsisHeading = "%nUsage:%n  ",
            descriptionHeading = "%n",
            description = {
                "It ends when nobody renews it within its TTL, except on a Kafka gateway. So a MongoDB collection streams to"
                        + " Kafka by one subscription."
            },
            optionListHeading = "%nOptions:%n",
            footerHeading = "%nFor example:%n",
            footer =
                    "  sluice subscriptions add --id eu --gateway kafka --collection orders --filter '{\"region\": \"eu\"}'")
    static final class Add extends NodeCommand {
        @Option(names = "--id", paramLabel = "ID", required = true, description = "Its name.")
        @SuppressWarnings("NullAway.Init")
        private String id;

        @Option(names = "--collection", paramLabel = "NAME", required = true, description = "Of which changes.")
        @SuppressWarnings("NullAway.Init")
        private String collection;

        @Option(names = "--gateway", paramLabel = "ID", description = "Who receives them. Default: the ring decides.")
        private String gateway = "";

        @Option(names = "--tenant", paramLabel = "TENANT", description = "Only this tenant's documents.")
        private String tenant = "";

        @Option(names = "--document", paramLabel = "ID", description = "Only this document.")
        private @Nullable String document;

        @Option(names = "--filter", paramLabel = "JSON", description = "Only documents it matches. Default: {}.")
        private String filter = "{}";

        @Option(names = "--priority", paramLabel = "CLASS", description = "high, normal or low. Default: normal.")
        private String priority = "normal";

        @Option(names = "--ttl", paramLabel = "TIME", description = "60s to 3600s. Default: 300s.")
        private String ttl = "300s";

        @Option(names = "--from", paramLabel = "MARKER", description = "Start behind it. Default: from now on.")
        private @Nullable String from;

        @Option(names = "--failover", description = "Another gateway may take it over.")
        private boolean failover;

        @Option(names = "--transitions", description = "Also tell enter and leave; needs pre-images.")
        private boolean transitions;

        @Override
        public Integer call() throws InterruptedException {
            var subscription = Json.object(
                    "id", id,
                    "gatewayId", gateway,
                    "tenant", tenant,
                    "collection", collection,
                    "filter", filter,
                    "priority", priority,
                    "ttl", ttl,
                    "failover", failover,
                    "transitions", transitions);
            if (document != null) {
                subscription.put("documentId", Json.value(document));
            }
            if (from != null) {
                subscription.put("from", Json.value(from));
            }
            return show(
                    node.send("POST", PATH, Json.text(subscription)),
                    answer -> "registered: " + id + ", from " + value(answer, "progress") + " on\n");
        }
    }

    @Command(
            name = "remove",
            header = "End subscriptions.",
            synopsisHeading = "%nUsage:%n  ",
            parameterListHeading = "%nParameters:%n",
            optionListHeading = "%nOptions:%n")
    static final class Remove extends RemoveEach {
        Remove() {
            super(PATH, "removed");
        }
    }
}

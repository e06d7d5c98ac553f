package dev.sluice.http;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.JsonText;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.ControlPlane;
import dev.sluice.subscribe.NotReadyException;
import dev.sluice.subscribe.Refusal;
import dev.sluice.subscribe.SubscriptionBatch;
import dev.sluice.subscribe.SubscriptionPage;
import dev.sluice.subscribe.SubscriptionQuery;
import dev.sluice.subscribe.SubscriptionStoreException;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.bson.BsonValue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control plane of subscriptions and gateways over HTTP, to be registered at {@link #PATH}. Answers are JSON; one
 * that is not 200 has the reason as {@code error}.
 */
public final class SubscriptionRoutes implements HttpService {
    public static final String PATH = "/internal/v1";

    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionRoutes.class);
    private static final Duration SLOWEST_BODY = Duration.ofSeconds(30);

    private final ControlPlane control;
    private final RequestBody body;

    public SubscriptionRoutes(ControlPlane control) {
        this(control, SLOWEST_BODY);
    }

    SubscriptionRoutes(ControlPlane control, Duration slowestBody) {
        this.control = control;
        this.body = new RequestBody(slowestBody);
    }

    /** A subscription as lists show it. */
    public static String json(Subscription subscription) {
        StringBuilder json = new StringBuilder();
        SubscriptionJson.write(subscription, json);
        return json.toString();
    }

    @Override
    public void routing(HttpRules rules) {
        rules.post("/subscriptions", safely(this::register))
                .get("/subscriptions", safely(this::list))
                .put("/subscriptions/*", safely(named("heartbeat", this::renew)))
                .delete("/subscriptions/*", safely(named("", this::remove)))
                .delete("/gateways/*", safely(this::deleteGateway))
                .put("/gateways/*", safely(this::putGateway));
    }

    private void register(ServerRequest request, ServerResponse response) {
        body.read(request, text -> {
            SubscriptionBatch batch = new SubscriptionBatch();
            List<BsonValue> items = JsonItems.of(text);
            for (BsonValue item : items) {
                batch.add(SubscriptionJson.idOf(item), () -> SubscriptionJson.read(item));
            }
            answer(response, control.register(batch));
        });
    }

    private static void answer(ServerResponse response, ControlPlane.Registration registration) {
        StringBuilder json = new StringBuilder("{");
        Status status = Status.OK_200;
        if (registration.isRefused()) {
            status = registration.isOverQuota() ? Status.TOO_MANY_REQUESTS_429 : Status.BAD_REQUEST_400;
            Refusal first = registration.refusals().getFirst();
            json.append("\"error\":");
            String which = "subscription " + first.index() + " " + InvalidInputException.quote(first.id());
            JsonText.quote(which + ": " + first.reason(), json);
        } else {
            json.append("\"progress\":");
            JsonText.quote(registration.progress(), json);
            json.append(",\"revision\":").append(registration.revision());
        }
        json.append(",\"refusals\":[");
        String separator = "";
        for (Refusal refusal : registration.refusals()) {
            json.append(separator).append("{\"index\":").append(refusal.index()).append(",\"id\":");
            JsonText.quote(refusal.id(), json);
            json.append(",\"reason\":");
            JsonText.quote(refusal.reason(), json);
            json.append('}');
            separator = ",";
        }
        send(response, status, json.append("]}"));
    }

    private void list(ServerRequest request, ServerResponse response) {
        SubscriptionPage page = control.list(new SubscriptionQuery(
                asked(request, "gatewayId"),
                asked(request, "tenant"),
                asked(request, "collection"),
                asked(request, "pageToken"),
                pageSize(asked(request, "pageSize"))));
        StringBuilder json = new StringBuilder("{\"subscriptions\":[");
        for (int k = 0; k < page.subscriptions().size(); k++) {
            json.append(k == 0 ? "" : ",");
            SubscriptionJson.write(page.subscriptions().get(k), json);
        }
        json.append("],\"nextPageToken\":");
        JsonText.quote(page.next(), json);
        send(response, Status.OK_200, json.append('}'));
    }

    private static String asked(ServerRequest request, String name) {
        return request.query().first(name).orElse("");
    }

    private static int pageSize(String text) {
        if (text.isEmpty()) {
            return SubscriptionQuery.DEFAULT_LIMIT;
        }
        if (!text.matches("\\d{1,9}")) {
            throw new InvalidInputException("pageSize " + InvalidInputException.quote(text) + " is not a number");
        }
        return Integer.parseInt(text);
    }

    private void renew(ServerRequest request, ServerResponse response) {
        ControlPlane.Extension extension = control.renew(List.of(id(request)), "");
        if (extension.unknown().isEmpty()) {
            StringBuilder json = new StringBuilder("{\"progress\":");
            JsonText.quote(extension.progress(), json);
            send(response, Status.OK_200, json.append('}'));
        } else {
            error(response, Status.NOT_FOUND_404, "there is no such subscription (any more): register it again");
        }
    }

    private void remove(ServerRequest request, ServerResponse response) {
        if (control.remove(List.of(id(request))) == 0) {
            error(response, Status.NOT_FOUND_404, "there is no such subscription (any more)");
        } else {
            send(response, Status.OK_200, new StringBuilder("{\"removed\":1}"));
        }
    }

    private void removeGateway(ServerRequest request, ServerResponse response) {
        int removed = control.removeGateway(id(request));
        send(
                response,
                Status.OK_200,
                new StringBuilder("{\"removed\":").append(removed).append('}'));
    }

    private void deleteGateway(ServerRequest request, ServerResponse response) {
        if (!Named.of(request).what().isEmpty()) {
            named("subscriptions", this::removeGateway).handle(request, response);
        } else if (control.forgetGateway(id(request))) {
            send(response, Status.OK_200, new StringBuilder("{\"removed\":1}"));
        } else {
            error(response, Status.NOT_FOUND_404, "there is no such gateway (any more)");
        }
    }

    private void registerGateway(ServerRequest request, ServerResponse response) {
        body.read(request, text -> {
            String endpoint = "";
            String protocol = "";
            boolean understandsExcept = false;
            for (Map.Entry<String, BsonValue> field : JsonItems.object(text).entrySet()) {
                String value = field.getValue().isString()
                        ? field.getValue().asString().getValue()
                        : "";
                switch (field.getKey()) {
                    case "endpoint" -> endpoint = value;
                    case "protocol" -> protocol = value;
                    case "understandsExcept" -> understandsExcept = bool(field);
                    default ->
                        throw new InvalidInputException(
                                "a gateway has no field " + InvalidInputException.quote(field.getKey())
                                        + "; it has endpoint, protocol, understandsExcept");
                }
            }
            lease(
                    response,
                    control.registerGateway(
                            new GatewayAddress(id(request), control.protocol(protocol), endpoint, understandsExcept)));
        });
    }

    private static boolean bool(Map.Entry<String, BsonValue> field) {
        if (!field.getValue().isBoolean()) {
            throw new InvalidInputException(field.getKey() + " is true or false");
        }
        return field.getValue().asBoolean().getValue();
    }

    private void heartbeat(ServerRequest request, ServerResponse response) {
        if (control.heartbeat(id(request))) {
            lease(response, control.lease());
        } else {
            error(response, Status.NOT_FOUND_404, "there is no such gateway (any more): register it again");
        }
    }

    private static void lease(ServerResponse response, Duration lease) {
        send(
                response,
                Status.OK_200,
                new StringBuilder("{\"leaseSeconds\":")
                        .append(lease.toSeconds())
                        .append('}'));
    }

    private void putGateway(ServerRequest request, ServerResponse response) {
        if (Named.of(request).what().isEmpty()) {
            registerGateway(request, response);
        } else {
            named("heartbeat", this::heartbeat).handle(request, response);
        }
    }

    /**
     * What a path below a list names.
     *
     * @param what about it; empty: itself
     */
    private record Named(String id, String what) {
        /** From the path as it was sent: an id may have slashes, encoded. */
        static Named of(ServerRequest request) {
            String[] parts = request.prologue().uriPath().rawPath().split("/", -1);
            int list = PATH.split("/", -1).length;
            String what = parts.length == list + 3 ? parts[list + 2] : parts.length == list + 2 ? "" : "?";
            try {
                return new Named(URLDecoder.decode(parts[list + 1].replace("+", "%2B"), StandardCharsets.UTF_8), what);
            } catch (IllegalArgumentException e) {
                throw new InvalidInputException("the path is not encoded as URLs are");
            }
        }
    }

    private interface Call {
        void handle(ServerRequest request, ServerResponse response);
    }

    private static Call named(String what, Call call) {
        return (request, response) -> {
            if (Named.of(request).what().equals(what)) {
                call.handle(request, response);
            } else {
                error(response, Status.NOT_FOUND_404, "there is nothing at this path");
            }
        };
    }

    private static String id(ServerRequest request) {
        return Named.of(request).id();
    }

    /** What can go wrong, as a status and a sentence. */
    private static Handler safely(Call call) {
        return (request, response) -> {
            try {
                call.handle(request, response);
            } catch (InvalidInputException e) {
                error(response, Status.BAD_REQUEST_400, String.valueOf(e.getMessage()));
            } catch (RequestBody.TooLargeException e) {
                error(response, Status.REQUEST_ENTITY_TOO_LARGE_413, String.valueOf(e.getMessage()));
            } catch (RequestBody.TooSlowException e) {
                error(response, Status.REQUEST_TIMEOUT_408, String.valueOf(e.getMessage()));
            } catch (RequestBody.NoRoomException | NotReadyException e) {
                response.header(HeaderNames.RETRY_AFTER, "1");
                error(response, Status.SERVICE_UNAVAILABLE_503, String.valueOf(e.getMessage()));
            } catch (SubscriptionStoreException e) {
                LOG.atError().setCause(e).log("a request of a gateway could not be kept");
                error(response, Status.SERVICE_UNAVAILABLE_503, String.valueOf(e.getMessage()));
            }
        };
    }

    private static void error(ServerResponse response, Status status, String reason) {
        StringBuilder json = new StringBuilder("{\"error\":");
        JsonText.quote(reason, json);
        send(response, status, json.append('}'));
    }

    private static void send(ServerResponse response, Status status, StringBuilder json) {
        response.status(status)
                .header(HeaderNames.CONTENT_TYPE, "application/json")
                .send(json.toString());
    }
}

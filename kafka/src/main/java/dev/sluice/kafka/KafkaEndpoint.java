package dev.sluice.kafka;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.InvalidInputException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The endpoint of a Kafka gateway: {@code host:port,host:port/changes.{tenant}.{collection}}. The names go into the
 * template as they are, so a template that sets them apart by a character they contain may mix two collections in one
 * topic.
 *
 * @param servers bootstrap servers
 * @param template of topics, with {@code {tenant}} and {@code {collection}} where they are wanted
 */
record KafkaEndpoint(String servers, String template) {
    private static final int HIGHEST_PORT = 65_535;
    private static final String HOST = "([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]):\\d{1,5}";
    private static final Pattern WHOLE = Pattern.compile("(" + HOST + "(?:," + HOST + ")*)/(.+)");
    private static final Pattern TEMPLATE = Pattern.compile("([A-Za-z0-9._-]|\\{tenant}|\\{collection})+");
    private static final Pattern NAME = Pattern.compile("\\{tenant}|\\{collection}");
    private static final Pattern TOPIC = Pattern.compile("[A-Za-z0-9._-]{1,249}");

    static KafkaEndpoint parse(String endpoint) {
        Matcher parts = WHOLE.matcher(endpoint);
        if (!parts.matches() || !TEMPLATE.matcher(parts.group(4)).matches() || !arePorts(parts.group(1))) {
            throw new InvalidInputException("the endpoint " + InvalidInputException.quote(endpoint)
                    + " of a Kafka gateway is not like host:port/changes.{tenant}.{collection}");
        }
        return new KafkaEndpoint(parts.group(1), parts.group(4));
    }

    boolean hasTopicPerTenant() {
        return template.contains("{tenant}");
    }

    /** The names that {@link #topicOf} gives to this collection, whatever the tenant. */
    Pattern topicsOfAllTenants(String collection) {
        return Pattern.compile(Stream.of(NAME.splitWithDelimiters(template, 0))
                .map(part -> switch (part) {
                    case "{tenant}" -> "[A-Za-z0-9._-]*";
                    case "{collection}" -> Pattern.quote(collection);
                    default -> Pattern.quote(part);
                })
                .collect(Collectors.joining()));
    }

    private static boolean arePorts(String servers) {
        return Stream.of(servers.split(","))
                .mapToInt(server -> Integer.parseInt(server.substring(server.lastIndexOf(':') + 1)))
                .allMatch(port -> port <= HIGHEST_PORT);
    }

    /** @throws InvalidInputException when tenant and collection make no name of a topic */
    String topicOf(ChangeEvent event) {
        return topicOf(event.tenant(), event.collection());
    }

    /** @throws InvalidInputException when they make no name of a topic */
    String topicOf(String tenant, String collection) {
        String topic = NAME.matcher(template)
                .replaceAll(name -> Matcher.quoteReplacement(name.group().equals("{tenant}") ? tenant : collection));
        if (!TOPIC.matcher(topic).matches() || topic.equals(".") || topic.equals("..")) {
            throw new InvalidInputException(InvalidInputException.quote(topic)
                    + " is no name of a topic: Kafka takes up to 249 letters, digits and . _ -");
        }
        return topic;
    }
}

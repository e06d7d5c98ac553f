package dev.sluice.server.config;

import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Setting;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** One backend the Puller watches, and how. */
public record WatchedBackend(
        @Setting(meaning = "A name from `storage.backends`.")
        String name,

        @Setting(meaning = "Watch only these collections.") List<String> includeCollections,

        @Setting(meaning = "Watch all collections but these; not together with `include_collections`.")
        List<String> excludeCollections,

        @Setting(
                fallback = "resync",
                meaning =
                        "When the source no longer has our position: tell every consumer to resync and go on, or stop.")
        OnGap onGap,

        @Setting(
                fallback = "now",
                meaning =
                        "Where to start when neither log nor mirror knows the backend, the first time or after their loss: now, the oldest change the source has, or not at all.")
        Start start,

        @Setting(
                fallback = "none",
                meaning =
                        "Documents as the server kept them before and after a change, MongoDB 6 on, in place of looking them up.")
        Images images,

        @Setting(meaning = "Which tenant a change belongs to.")
        Tenant tenant,

        @Setting(
                fallback = "1",
                meaning =
                        "Change streams on this backend that share `include_collections`, which then has at least as many.")
        int streams) {

    public enum OnGap {
        RESYNC,
        STOP
    }

    public enum Start {
        NOW,
        EARLIEST,
        STOP
    }

    public enum Images {
        NONE,
        WHEN_AVAILABLE,
        REQUIRED
    }

    public WatchedBackend {
        new Rules()
                .require(
                        includeCollections.isEmpty() || excludeCollections.isEmpty(),
                        "cannot be combined with include_collections; keep the one you mean",
                        "excludeCollections",
                        "includeCollections")
                .require(
                        includeCollections.stream().noneMatch(String::isBlank),
                        "holds an empty collection name",
                        "includeCollections")
                .require(
                        excludeCollections.stream().noneMatch(String::isBlank),
                        "holds an empty collection name",
                        "excludeCollections")
                .between(1, 64, streams, "streams")
                .require(
                        streams <= 1 || includeCollections.stream().distinct().count() >= streams,
                        "streams share the collections of include_collections: name at least " + streams
                                + " there, or set streams to 1",
                        "streams",
                        "includeCollections")
                .enforce();
    }

    /** Where the tenant of a change is found; at most one of the four, none means there are no tenants. */
    public record Tenant(
            @Setting(meaning = "The document's field that holds it; dots reach into sub-documents.")
            Optional<String> field,

            @Setting(meaning = "The separator after the tenant at the start of the document's id, as in `/`.")
            Optional<String> idPrefix,

            @Setting(fallback = "false", meaning = "The database's name is the tenant.")
            boolean database,

            @Setting(meaning = "Every change belongs to this one.")
            Optional<String> constant) {

        public Tenant {
            var chosen = Stream.of(field.isPresent(), idPrefix.isPresent(), database, constant.isPresent())
                    .filter(present -> present)
                    .count();
            new Rules()
                    .require(
                            chosen <= 1,
                            "only one of field, id_prefix, database and constant can say the tenant; keep one",
                            field.isPresent() ? "field" : idPrefix.isPresent() ? "idPrefix" : "constant")
                    .enforce();
        }
    }
}

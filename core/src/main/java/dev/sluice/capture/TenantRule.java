package dev.sluice.capture;

/**
 * Where a change event's tenant comes from. Deletes carry no document: with {@link Field} their tenant is taken from
 * the pre-image where the collection has one, else from {@link TenantMemory}, else it stays empty.
 */
public sealed interface TenantRule {
    /** No tenants: the tenant is empty. */
    record None() implements TenantRule {}

    /** A string field of the document, dotted for nested ones. */
    record Field(String path) implements TenantRule {
        public Field {
            require(!path.isEmpty() && !path.startsWith(".") && !path.endsWith(".") && !path.contains(".."), path);
        }

        private static void require(boolean holds, String path) {
            if (!holds) {
                throw new IllegalArgumentException("tenant field '" + path + "' is not a field path such as org.id");
            }
        }
    }

    /** What stands before the first separator in the document's text id; empty where there is none. */
    record IdPrefix(String separator) implements TenantRule {
        public IdPrefix {
            if (separator.isEmpty()) {
                throw new IllegalArgumentException("tenant id_prefix needs a separator such as ':'");
            }
        }

        /** @param documentId the text consumers see */
        public String of(String documentId) {
            int end = documentId.indexOf(separator);
            return end < 0 ? "" : documentId.substring(0, end);
        }
    }

    /** The name of the database. */
    record Database() implements TenantRule {}

    /** Always the same. */
    record Constant(String tenant) implements TenantRule {}
}

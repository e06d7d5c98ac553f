package dev.sluice.outbox.spring;

import dev.sluice.model.InvalidInputException;
import javax.sql.DataSource;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** The DataSource of the outbox, as transaction managers know it. */
record OutboxSource(DataSource dataSource) {
    static OutboxSource of(ObjectProvider<DataSource> marked, ObjectProvider<DataSource> any) {
        return new OutboxSource(bare(marked.getIfAvailable(() -> only(any))));
    }

    /** Silence would lose every message. */
    private static DataSource only(ObjectProvider<DataSource> any) {
        try {
            return any.getObject();
        } catch (NoUniqueBeanDefinitionException several) {
            throw new InvalidInputException("there are several DataSources (" + several.getBeanNamesFound()
                    + "): mark the one whose transactions the messages belong to with @OutboxDataSource or @Primary,"
                    + " or set outbox.enabled=false");
        }
    }

    private static DataSource bare(DataSource source) {
        DataSource target =
                source instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : null;
        return target == null ? source : target;
    }
}

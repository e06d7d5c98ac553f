/**
 * The outbox in a Spring Boot application. In: the application's DataSource, its properties, its transactions and its
 * annotated events. Out: rows of the outbox, a relay that lives as long as the application, health,
 * endpoint and meters. Depends on: {@code outbox}, Spring; on Actuator and Micrometer where the application has them.
 */
@NullMarked
package dev.sluice.outbox.spring;

import org.jspecify.annotations.NullMarked;

/**
 * This process as a member of a cluster. In: the `cluster` section of the configuration. Out: the coordination store it names,
 * the settings of a group, a group's metrics and its answers for health and the admin API. The logic is in
 * dev.sluice.coordinate; every role that owns partitions starts its Group with what is made here.
 */
@NullMarked
package dev.sluice.server.cluster;

import org.jspecify.annotations.NullMarked;

/**
 * The MongoDB wire protocol. In: bytes from a socket. Out: requests handed to a {@link Dispatcher}, and its replies as
 * bytes. One virtual thread per connection; a frame that makes no sense closes its connection and nothing else. Knows no
 * command.
 */
@NullMarked
package dev.sluice.devmongo.wire;

import org.jspecify.annotations.NullMarked;

package dev.sluice.http;

import java.util.Optional;

/** What a gateway's server answered, whatever version of HTTP it speaks. */
record HttpReply(int status, Optional<String> retryAfter, byte[] body) {}

import type { StandardInput } from "../../command.ts";
import { count, text, yesOrNo } from "../../options.ts";

/** What an upstream is made with and can be changed to. */
export const UPSTREAM_OPTIONS = {
  "base-url": text("base_url", "its address, up to /chat/completions", "URL"),
  "allow-private": yesOrNo("allow_private", "whether it may be on this machine or a private network; a new one may not, if not given"),
  "credential-stdin": { meaning: "read our secret there from the standard input" },
  "connect-ms": count("timeouts.connect_ms", "how long to wait for a connection, in milliseconds"),
  "first-byte-ms": count("timeouts.first_byte_ms", "how long to wait for the first byte of a stream"),
  "between-chunks-ms": count("timeouts.between_chunks_ms", "how long to wait between two pieces of a stream"),
  "total-ms": count("timeouts.total_ms", "how long to wait for the whole call"),
};

/** A credential is sealed when it is kept, and never shown again. */
export const CREDENTIAL: StandardInput = { field: "credential", what: "the credential" };

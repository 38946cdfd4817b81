import type { StandardInput } from "../../command.ts";
import { PRESET_IDS } from "../../../models/presets.ts";
import { UNKNOWN_PARAMETERS } from "../models/parameter-option.ts";
import { choice, count, text, yesOrNo } from "../../options.ts";

/** What an upstream is made with and can be changed to. */
export const UPSTREAM_OPTIONS = {
  preset: { ...choice("preset", PRESET_IDS, "the server it is, of those in docs/providers.md"), value: "PRESET" },
  "base-url": text("base_url", "its address, up to /chat/completions, /messages or /models; that of the preset, if not given", "URL"),
  "allow-private": yesOrNo(
    "allow_private",
    "whether it may be on this machine or a private network; if not given, a new one may where its preset is of a server that runs beside us",
  ),
  "credential-stdin": { meaning: "read our secret there from the standard input, or several, each on a line" },
  "connect-ms": count("timeouts.connect_ms", "how long to wait for a connection, in milliseconds"),
  "first-byte-ms": count("timeouts.first_byte_ms", "how long to wait for the first byte of a stream"),
  "between-chunks-ms": count("timeouts.between_chunks_ms", "how long to wait between two pieces of a stream"),
  "total-ms": count("timeouts.total_ms", "how long to wait for the whole call"),
  "max-calls": count("concurrency.max_calls", "how many calls it gets at once"),
  "max-queued": count("concurrency.max_queued", "how many more wait for one of those to end"),
  "max-wait-ms": count("concurrency.max_wait_ms", "how long each of them waits at most"),
  "unknown-parameters": UNKNOWN_PARAMETERS,
};

/** A credential is sealed when it is kept, and never shown again. */
export const CREDENTIAL: StandardInput = { field: "credential", fieldOfSeveral: "credentials", what: "the credential" };

import type { Exchange } from "../http/endpoint.ts";
import type { EventSource } from "../http/sse.ts";
import type { KeyRecord } from "../access/api-key.ts";
import type { ModelRequest } from "./formats/caller-format.ts";
import { CapturedBodies } from "../requests/captured-bodies.ts";
import type { Consumer } from "../lib/async/source.ts";
import type { Gateway } from "./gateway.ts";

/** Captures the request for its trace, and, for accounts with prompt and response logging, for the request log. */
export function captureRequest(caller: KeyRecord, modelRequest: ModelRequest, { notes }: Exchange, gateway: Gateway): void {
  notes.trace?.asked(modelRequest);
  const { logBodies, attribution } = gateway.accountOf(caller);
  if (logBodies) notes.bodies = new CapturedBodies(modelRequest.text, attribution.identities === "plain" ? undefined : notes.identities);
}

/** Returns the same events, and captures each event as it passes. */
export function captureEvents(source: EventSource, bodies: CapturedBodies | undefined): EventSource {
  return bodies ? new CapturedEvents(source, bodies) : source;
}

class CapturedEvents implements EventSource, Consumer<readonly string[]> {
  readonly #source: EventSource;
  readonly #bodies: CapturedBodies;
  #consumer: Consumer<readonly string[]> | undefined;

  constructor(source: EventSource, bodies: CapturedBodies) {
    this.#source = source;
    this.#bodies = bodies;
  }

  read(consumer: Consumer<readonly string[]>): void {
    this.#consumer = consumer;
    this.#source.read(this);
  }

  take(events: readonly string[]): void {
    for (const event of events) this.#bodies.capture(event);
    this.#consumer!.take(events);
  }

  end(): void {
    this.#consumer!.end();
  }

  fail(error: unknown): void {
    this.#consumer!.fail(error);
  }

  cancel(): void {
    this.#source.cancel();
  }
}

import type { Exchange } from "../../http/endpoint.ts";
import type { EventSource } from "../../http/sse.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { CapturedBodies } from "../../requests/captured-bodies.ts";
import type { Consumer } from "../../lib/async/source.ts";
import type { Gateway } from "../gateway.ts";

/** Gathers what is said for the request log, for an account that wants it kept, and of no other. */
export function captureBodies(caller: KeyRecord, chat: ChatRequest, { notes }: Exchange, gateway: Gateway): void {
  if (gateway.accountOf(caller).logBodies) notes.bodies = new CapturedBodies(chat.text);
}

/** The same events, heard as they go by. */
export function captureEvents(source: EventSource, bodies: CapturedBodies | undefined): EventSource {
  return bodies ? new HeardEvents(source, bodies) : source;
}

class HeardEvents implements EventSource, Consumer<readonly string[]> {
  readonly #source: EventSource;
  readonly #bodies: CapturedBodies;
  #waiting: Consumer<readonly string[]> | undefined;

  constructor(source: EventSource, bodies: CapturedBodies) {
    this.#source = source;
    this.#bodies = bodies;
  }

  read(taker: Consumer<readonly string[]>): void {
    this.#waiting = taker;
    this.#source.read(this);
  }

  take(events: readonly string[]): void {
    for (const event of events) this.#bodies.hear(event);
    this.#waiting!.take(events);
  }

  end(): void {
    this.#waiting!.end();
  }

  fail(error: unknown): void {
    this.#waiting!.fail(error);
  }

  cancel(): void {
    this.#source.cancel();
  }
}

import type { Exchange } from "../http/endpoint.ts";
import type { EventSource } from "../http/sse.ts";
import type { KeyRecord } from "../vocabulary/api-key.ts";
import type { ChatRequest } from "../vocabulary/chat-request.ts";
import { HeardBodies } from "../vocabulary/heard-bodies.ts";
import type { Gateway } from "./gateway.ts";

/** Gathers what is said for the request log, for an account that wants it kept, and of no other. */
export function hearBodies(caller: KeyRecord, chat: ChatRequest, { notes }: Exchange, gateway: Gateway): void {
  if (gateway.accountOf(caller).logBodies) notes.bodies = new HeardBodies(chat.text);
}

/** The same events, heard as they go by. */
export function heardEvents(source: EventSource, bodies: HeardBodies | undefined): EventSource {
  if (!bodies) return source;
  return {
    async read() {
      const events = await source.read();
      for (const event of events ?? []) bodies.hear(event);
      return events;
    },
    cancel: () => source.cancel(),
  };
}

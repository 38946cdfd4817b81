import type { Exchange } from "../http/endpoint.ts";
import type { ChatRequest } from "../requests/chat-request.ts";
import type { Admission } from "./admission/admission.ts";
import type { Claim } from "./idempotency/idempotency-lock.ts";
import type { Gateway } from "./gateway.ts";

/** A request that was let in, and all that belongs to it until it is answered. */
export interface AdmittedRequest {
  readonly chat: ChatRequest;
  readonly admission: Admission;
  /** The right to answer under its idempotency key, if it has one. */
  readonly claim: Claim | undefined;
  readonly exchange: Exchange;
  readonly gateway: Gateway;
}

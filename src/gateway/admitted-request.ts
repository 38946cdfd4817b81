import type { Exchange } from "../http/endpoint.ts";
import type { ModelRequest } from "./formats/caller-format.ts";
import type { Admission } from "./admission/admission.ts";
import type { Gateway } from "./gateway.ts";
import type { IdempotencyLock } from "./idempotency-lock.ts";

/** An admitted request, and everything that its steps need until it is settled. */
export interface AdmittedRequest {
  readonly modelRequest: ModelRequest;
  readonly admission: Admission;
  /** Undefined if the request has no `Idempotency-Key`. */
  readonly lock: IdempotencyLock | undefined;
  readonly exchange: Exchange;
  readonly gateway: Gateway;
}

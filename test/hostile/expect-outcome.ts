import { expect } from "bun:test";
import { chunkSchema } from "../../src/requests/chat-completion.ts";
import { findViolation } from "../../src/lib/schema/schema.ts";
import { expectBrokenStream, expectGoodCompletion, framesOf, type Chunk } from "../support/upstreams/conformance.ts";
import type { LedgerRow } from "../money/ledger-of.ts";
import { readMessage } from "../messages/read-message.ts";
import { eventsIn, readResponse } from "../responses/read-response.ts";
import type { ModelEndpoint } from "../support/endpoints.ts";
import type { Outcome } from "./hostile-case.ts";

/** The reply that a client received. */
export interface HostileReply {
  readonly endpoint: ModelEndpoint;
  readonly model: string;
  readonly stream: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Every header that the gateway sends to clients. */
const OWN_HEADERS =
  /^(content-type|content-length|transfer-encoding|connection|keep-alive|date|cache-control|x-accel-buffering|(?:x-)?request-id|x-should-retry|retry-after|x-tollgate-[a-z-]+)$/;

/** Error codes that a hostile upstream can cause, with their statuses. `internal_error` must not occur. */
const CLOSED_LIST: Record<string, number> = {
  invalid_value: 400,
  unsupported_parameter: 400,
  context_length_exceeded: 400,
  content_policy_violation: 400,
  request_too_large: 413,
  rate_limit_exceeded: 429,
  upstream_error: 502,
  overloaded: 503,
  no_upstream_available: 503,
  upstream_timeout: 504,
};

/** The type of an error in the Messages API, by its status. */
const MESSAGES_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  413: "request_too_large",
  429: "rate_limit_error",
  502: "api_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** The codes of `response.failed` for these codes; of all others, `server_error`. */
const FAILED_CODES: Record<string, string> = {
  invalid_value: "invalid_prompt",
  unsupported_parameter: "invalid_prompt",
  content_policy_violation: "invalid_prompt",
  context_length_exceeded: "context_length_exceeded",
  rate_limit_exceeded: "rate_limit_exceeded",
  overloaded: "server_is_overloaded",
  no_upstream_available: "server_is_overloaded",
};

/** The status of an error code at an endpoint. */
function statusOf(code: string, { overloaded }: ModelEndpoint): number {
  return CLOSED_LIST[code] === 503 ? overloaded : CLOSED_LIST[code]!;
}

/** What a client reads of an error code: in a reply, or at the end of a stream. */
function errorOf(code: string, endpoint: ModelEndpoint, inStream: boolean): string {
  if (endpoint.name === "messages") return MESSAGES_TYPES[statusOf(code, endpoint)]!;
  return endpoint.name === "responses" && inStream ? (FAILED_CODES[code] ?? "server_error") : code;
}

/** How much of a response the client received. The charge follows from it. */
export type Completeness = "nothing" | "part" | "all";

/**
 * Checks a reply against the rules for all replies, and against the outcome of its case. A relay forwards what it does not know, so that
 * the order of its events is the upstream's.
 */
export function expectOutcome(reply: HostileReply, outcome: Outcome, isRelayed = false): Completeness {
  expectNothingOfUpstream(reply);
  const { endpoint, status, text } = reply;
  const completeness = endpoint.name === "chat" ? completenessOf(reply) : completenessElsewhere(reply, isRelayed);
  if (outcome.kind === "refused") {
    const kind = errorOf(outcome.code, endpoint, false);
    expect({ status, kind: endpoint.readError(JSON.parse(text) as Json).kind }).toEqual({ status: statusOf(outcome.code, endpoint), kind });
  } else if (outcome.kind === "broken") {
    expect({ status, completeness }).toEqual({ status: 200, completeness: "part" });
    expect(endpoint.readStream(text)).toEqual({ isWhole: false, text: outcome.text, error: errorOf(outcome.code, endpoint, true) });
  } else if (outcome.kind === "answered") {
    expect({ status, completeness }).toEqual({ status: 200, completeness: "all" });
    expect(reply.stream ? endpoint.readStream(text).text : endpoint.readText(JSON.parse(text) as Json)).toBe(outcome.text);
  }
  return completeness;
}

type Json = Readonly<Record<string, unknown>>;

/** Checks that the reply has no header and no text of the upstream, except for the response itself. */
function expectNothingOfUpstream({ headers, text }: HostileReply): void {
  for (const [name, value] of headers) {
    expect(name).toMatch(OWN_HEADERS);
    expect(value).not.toContain("canary");
  }
  if (headers.has("request-id")) expect(headers.get("request-id")).toBe(headers.get("x-request-id"));
  const wait = headers.get("retry-after");
  if (wait !== null) expect(wait).toMatch(/^([1-9]|[1-5][0-9])$/);
  expect(text).not.toContain("canary");
}

/** How much arrived at chat completions. A reply must be an error, a broken stream or a valid response. */
function completenessOf({ endpoint, model, stream, status, headers, text }: HostileReply): Completeness {
  if (status !== 200) {
    return expectKnownError({ status, text }, endpoint, CLOSED_LIST);
  }
  expect(headers.get("content-type")).toStartWith(stream ? "text/event-stream" : "application/json");
  if (!stream) {
    expectGoodCompletion(text, model);
    return "all";
  }
  const frames = framesOf(text);
  const isWhole = frames.at(-1) === "[DONE]";
  const chunks = isWhole ? frames.slice(0, -1).map((frame) => JSON.parse(frame) as Chunk) : expectBrokenStream(text).chunks;
  expect(chunks.length).toBeGreaterThan(0);
  for (const chunk of chunks) {
    expect(findViolation(chunkSchema, chunk)).toBeUndefined();
    expect(chunk).toMatchObject({ id: chunks[0]!.id, created: chunks[0]!.created, model });
    expect(chunk).not.toHaveProperty("error");
  }
  return isWhole ? "all" : "part";
}

/** The same for the other endpoints. */
function completenessElsewhere({ endpoint, model, stream, status, headers, text }: HostileReply, isRelayed: boolean): Completeness {
  const isMessages = endpoint.name === "messages";
  if (status !== 200) {
    const statuses = Object.fromEntries(Object.keys(CLOSED_LIST).map((code) => [errorOf(code, endpoint, false), statusOf(code, endpoint)]));
    return expectKnownError({ status, text }, endpoint, statuses);
  }
  expect(headers.get("content-type")).toStartWith(stream ? "text/event-stream" : "application/json");
  if (!stream) {
    const reply = JSON.parse(text) as Json;
    expect(reply).toMatchObject({ model, [isMessages ? "type" : "object"]: isMessages ? "message" : "response" });
    return "all";
  }
  const events = eventsIn(text);
  const { isWhole, error } = endpoint.readStream(text);
  const snapshots = events.flatMap((event) => event["message"] ?? (event["type"] === "response.failed" ? [] : (event["response"] ?? [])));
  for (const snapshot of snapshots) expect((snapshot as Json)["model"]).toBe(model);
  if (!isWhole) {
    expect(Object.keys(CLOSED_LIST).map((code) => errorOf(code, endpoint, true))).toContain(String(error));
    return "part";
  }
  if (isRelayed) return "all";
  if (isMessages) readMessage(events.map((event) => ({ ...event })));
  else readResponse(events);
  return "all";
}

function expectKnownError(
  { status, text }: Pick<HostileReply, "status" | "text">,
  endpoint: ModelEndpoint,
  statuses: Readonly<Record<string, number>>,
): Completeness {
  const { kind, message } = endpoint.readError(JSON.parse(text) as Json);
  expect({ kind, status }).toEqual({ kind, status: statuses[String(kind)]! });
  expect(message.length).toBeLessThan(2100);
  return "nothing";
}

/** Checks the ledger entry that ended a request. If nothing arrived, nothing is charged. */
export function expectCharge(end: LedgerRow, completeness: Completeness, outcome: Outcome): void {
  if (completeness === "nothing") return expect({ kind: end.kind, amount: end.amount_nanos }).toEqual({ kind: "release", amount: 0n });
  expect(end.amount_nanos).toBeGreaterThanOrEqual(0n);
  if (outcome.kind === "broken") {
    const tokens = BigInt(Math.ceil(Buffer.byteLength(outcome.text) / 4));
    if (tokens === 0n) expect(end.kind).toBe("release");
    else expect(end).toMatchObject({ kind: "settle", provenance: "estimated", completion_tokens: tokens });
  } else if (outcome.kind === "answered") {
    const tokens = BigInt(Math.ceil(Buffer.byteLength(outcome.text) / 4));
    const counted = { kind: "settle", provenance: "measured", prompt_tokens: 5n, completion_tokens: 2n };
    expect(end).toMatchObject(outcome.isCounted ? counted : { kind: "settle", provenance: "estimated", completion_tokens: tokens });
  }
}

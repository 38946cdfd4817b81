import type { Exchange } from "../http/endpoint.ts";
import { readJson, receiveBody } from "../http/read-json.ts";
import type { Actor } from "../access/access.ts";
import type { Change } from "../access/change.ts";
import { ApiError, refuseViolation } from "../requests/api-error.ts";
import { findViolation, formatPath, type Schema } from "../lib/schema/schema.ts";
import { findUnexpectedNull } from "../lib/schema/unexpected-null.ts";
import { hashKeyed } from "../lib/secret/checked-secret.ts";
import type { Secret } from "../lib/secret/secret.ts";
import { Cursors } from "./cursors.ts";
import type { Call, Operation } from "./operation.ts";
import type { Platform } from "./platform.ts";
import type { IncomingRequest } from "../lib/http1/server/incoming-request.ts";

const MAX_BODY_BYTES = 256 * 1024;
const IDEMPOTENCY_KEY = /^[!-~]{1,200}$/;

/** The input of a request and, for a creation, its idempotency key. */
interface RequestInput {
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotency: Change["idempotency"];
}

/** Reads and checks the input of a request against its operation. */
export async function readRequestInput(operation: Operation, { request }: Exchange, { hashSecret }: Platform): Promise<RequestInput> {
  const query = operation.query === "any" ? {} : readQuery(request.target, operation.query ?? {});
  const schema = operation.passesBodyOn ? undefined : operation.body;
  if (!operation.body && operation.method !== "GET") await refuseBody(request);
  const { text, value } = schema ? await readBody(request, schema, operation.maxBodyBytes) : { text: "", value: undefined };
  return { query, body: value, idempotency: operation.showCreated ? readIdempotency(request, text, hashSecret) : null };
}

export function toCall(operation: Operation, input: RequestInput, actor: Actor, exchange: Exchange, { hashSecret, nowMs }: Platform): Call {
  const { query, body, idempotency } = input;
  const atMs = nowMs();
  const params = exchange.request.params as Record<string, string>;
  return {
    actor,
    query,
    body,
    exchange,
    cursors: new Cursors(hashSecret, [operation.operationId, params], actor),
    param: (name) => params[name]!,
    change: (action, target, { before, after, accountId, by = actor }) => ({
      atMs,
      actor: by.id,
      actorName: by.name,
      address: exchange.callerAddress(),
      requestId: exchange.requestId,
      action,
      target,
      accountId: accountId ?? null,
      before,
      after,
      idempotency,
    }),
  };
}

async function readBody(request: IncomingRequest, schema: Schema, maxBytes = MAX_BODY_BYTES): Promise<{ text: string; value: unknown }> {
  // Pages of other sites can send a body without a content type. They cannot send JSON unless Tollgate allows it (CORS).
  const { text, value } = await readJson(request, maxBytes, "rejected");
  refuseNull(value, schema, request.method);
  refuseViolation(findViolation(schema, value));
  return { text, value };
}

const NO_FIELDS = /^\{\s*\}$/;

/**
 * An operation without a body accepts no body, or an object without fields: the caller of an ignored field would expect it to have an
 * effect.
 */
async function refuseBody(request: IncomingRequest): Promise<void> {
  const bytes = await receiveBody(request, MAX_BODY_BYTES);
  // Trimmed before matching: a regular expression that allows spaces at both ends takes minutes for a long body of spaces.
  const text = bytes.toString().trim();
  if (text !== "" && !NO_FIELDS.test(text)) throw new ApiError("invalid_value", "This call takes no request body.");
}

/** Null means "none" if the schema is nullable, in creations and changes. Otherwise it is rejected. */
function refuseNull(value: unknown, schema: Schema, method: string): void {
  const path = findUnexpectedNull(schema, value);
  if (!path) return;
  throw refusal(
    "invalid_value",
    formatPath(path),
    `must not be null. Set a value, or omit it${method === "PATCH" ? " to leave it unchanged" : ""}`,
  );
}

function readQuery(target: string, known: Readonly<Record<string, Schema>>): Record<string, string | number> {
  const query: Record<string, string | number> = {};
  const at = target.indexOf("?");
  if (at < 0) return query;
  for (const [name, text] of new URLSearchParams(target.slice(at + 1))) {
    const schema = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!schema) throw refusal("unsupported_parameter", name.slice(0, 100), "is not a known parameter");
    if (Object.hasOwn(query, name)) throw refusal("invalid_value", name, "is given twice");
    const value = schema.type === "integer" && /^-?\d+$/.test(text) ? Number(text) : text;
    const violation = findViolation(schema, value);
    if (violation) throw refusal("invalid_value", name, violation.message);
    query[name] = value;
  }
  return query;
}

/** The digest is keyed: a body may contain a credential, and the log alone must not confirm a guess. */
function readIdempotency(request: IncomingRequest, body: string, hashSecret: Secret): Change["idempotency"] {
  const key = request.headers.get("idempotency-key");
  if (key === null) return null;
  if (!IDEMPOTENCY_KEY.test(key)) {
    throw refusal("invalid_value", "idempotency-key", "must have 1 to 200 visible ASCII characters");
  }
  const asked = `${request.method} ${request.target.split("?", 1)[0]}\n${body}`;
  return { key, digest: Buffer.from(hashKeyed(asked, hashSecret)).toString("hex") };
}

function refusal(code: "unsupported_parameter" | "invalid_value", param: string, problem: string): ApiError {
  return new ApiError(code, `${param} ${problem}.`, { param });
}

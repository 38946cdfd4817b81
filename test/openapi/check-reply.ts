import type { ValidateFunction } from "ajv";
import { documents, findOperation, type DescribedReply, type ListenerName, type PlacedOperation } from "./documents.ts";
import { validatorAt } from "./validator.ts";

/** A reply of a listener, with the request that it answers. */
export interface ObservedReply {
  readonly method: string;
  /** The path without the query, and without the path prefix of the server's URL. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
}

/** Headers of HTTP itself, of CORS and of browser security. API clients do not read them. */
const PLAIN_HEADERS =
  /^(date|connection|content-length|content-type|transfer-encoding|vary|cache-control|access-control-.*|content-security-policy|cross-origin-.*|permissions-policy|referrer-policy|strict-transport-security|x-content-type-options)$/;

/** Throws if the status, the media type or a header of a reply is not in the description of its operation. */
export function checkHead(listener: ListenerName, reply: ObservedReply): void {
  const operation = findOperation(listener, reply.method, reply.path);
  if (!operation || isUnrouted(reply)) return;
  const described = describedReply(listener, operation, reply.status) ?? fail(reply, "this status is not documented");
  const documented = new Set(Object.keys(described.headers ?? {}).map((name) => name.toLowerCase()));
  for (const name of reply.headers.keys()) {
    if (!PLAIN_HEADERS.test(name) && !documented.has(name)) fail(reply, `the header ${name} is not documented`);
  }
  const type = reply.headers.get("content-type");
  if (type !== null && mediaTypeIn(described, type) === undefined) fail(reply, `the media type ${type} is not documented`);
}

/** The body that was checked last. Helpers check the same body again, and some bodies have megabytes. */
let lastChecked: { readonly body: string; readonly validate: ValidateFunction } | undefined;

/** Throws if a body does not match the description of its operation. */
export function checkBody(listener: ListenerName, reply: ObservedReply, body: string): void {
  const operation = findOperation(listener, reply.method, reply.path);
  const type = reply.headers.get("content-type");
  if (!operation || isUnrouted(reply) || type === null || body === "") return;
  const validate = validatorOf(listener, operation, reply.status, type);
  if (!validate || (lastChecked?.validate === validate && lastChecked.body === body)) return;
  for (const value of withoutParameters(type) === "text/event-stream" ? eventsIn(body) : [JSON.parse(body) as unknown]) {
    if (!validate(value)) fail(reply, `${JSON.stringify(validate.errors)} in ${JSON.stringify(value).slice(0, 2000)}`);
  }
  lastChecked = { body, validate };
}

/** Preflight and HEAD requests have no separate operation. */
function isUnrouted({ method }: ObservedReply): boolean {
  return method === "OPTIONS" || method === "HEAD";
}

/** The described media type that matches this one, without the parameters of both. */
function mediaTypeIn({ content = {} }: DescribedReply, type: string): string | undefined {
  return Object.keys(content).find((each) => withoutParameters(each) === withoutParameters(type));
}

function withoutParameters(mediaType: string): string {
  return mediaType.split(";", 1)[0]!.trim();
}

/** The data of each event that is JSON: `[DONE]` is not. */
function eventsIn(stream: string): unknown[] {
  const lines = stream.split("\n").filter((line) => line.startsWith("data: ") && line !== "data: [DONE]");
  return lines.map((line) => JSON.parse(line.slice("data: ".length)) as unknown);
}

function describedReply(listener: ListenerName, { responses }: PlacedOperation, status: number): DescribedReply | undefined {
  const reply = responses[String(status)];
  if (reply?.$ref === undefined) return reply;
  return documents[listener].components["responses"]![nameIn(reply.$ref)] as DescribedReply;
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

/** Undefined if the body is arbitrary text. */
function validatorOf(listener: ListenerName, operation: PlacedOperation, status: number, type: string): ValidateFunction | undefined {
  const { $ref } = operation.responses[String(status)]!;
  const described = describedReply(listener, operation, status)!;
  const documented = mediaTypeIn(described, type)!;
  if (described.content![documented]!.schema.type === "string") return undefined;
  const place =
    $ref === undefined ? ["", "paths", operation.path, operation.method, "responses", String(status)] : $ref.slice(1).split("/");
  const pointer = [...place, "content", documented, "schema"].map((step) =>
    encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1")),
  );
  return validatorAt(listener, pointer.join("/"));
}

function fail({ method, path, status }: ObservedReply, problem: string): never {
  throw new Error(`The reply ${status} to ${method} ${path} does not match its OpenAPI document: ${problem}`);
}

import type { Fail, Path, Schema } from "../../lib/schema/schema.ts";
import { Secret } from "../../lib/secret/secret.ts";

/** Request headers that an operator adds, by their names in lower case. Their values may be keys of a proxy, so all of them are secrets. */
export type SecretHeaders = Readonly<Record<string, Secret>>;

/** Headers as declared. Values that were read before are secrets already. */
export type DeclaredHeaders = Readonly<Record<string, string | Secret>>;

const MAX_HEADERS = 20;

/** RFC 9110: a token, and visible characters with spaces between them. CR and LF would start another header. */
export const headersSchema = {
  title: "HeadersInput",
  type: "object",
  form: "{ x-team: search }",
  isSecret: true,
  maxProperties: MAX_HEADERS,
  propertyNames: { type: "string", maxLength: 100, pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", patternInWords: "a header name" },
  additionalProperties: {
    type: "string",
    maxLength: 4096,
    pattern: "^[!-~](?:[ -~]*[!-~])?$",
    patternInWords: "ASCII without line breaks, and without spaces at its ends",
    isSecret: true,
  },
} as const satisfies Schema;

/** Those of the connection and of the body, the credential, and those that the gateway sets itself. */
const NOT_ALLOWED: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authorization",
  "transfer-encoding",
  "te",
  "trailer",
  "upgrade",
  "expect",
  "content-length",
  "content-type",
  "content-encoding",
  "accept",
  "accept-encoding",
  "user-agent",
  "authorization",
  "traceparent",
  "tracestate",
]);

/** Undefined where there are none. */
export function toHeaders(declared: DeclaredHeaders | undefined, path: Path, fail: Fail): SecretHeaders | undefined {
  const headers: Record<string, Secret> = {};
  for (const [given, value] of Object.entries(declared ?? {})) {
    const name = given.toLowerCase();
    if (NOT_ALLOWED.has(name)) fail([...path, given], "is set by the gateway and cannot be added");
    if (Object.hasOwn(headers, name)) fail([...path, given], "is there twice: names are the same in upper and lower case");
    headers[name] = typeof value === "string" ? new Secret(value) : value;
  }
  return Object.keys(headers).length === 0 ? undefined : headers;
}

/** The names alone: values are never returned. */
export function namesOfHeaders(headers: SecretHeaders | undefined): string[] {
  return Object.keys(headers ?? {}).toSorted();
}

export function revealHeaders(headers: SecretHeaders | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, value.reveal()]));
}

/** Shorter values are not redacted: they would be found in every message. */
const MIN_REDACTED = 8;

/** The values that messages of the server must not repeat. */
export function secretsIn(headers: SecretHeaders | undefined): Secret[] {
  return Object.values(headers ?? {}).filter((value) => value.reveal().length >= MIN_REDACTED);
}

/** Generic comparisons find any two secrets equal. */
export function hasSameHeaders(some: SecretHeaders | undefined, others: SecretHeaders | undefined): boolean {
  const [names, otherNames] = [namesOfHeaders(some), namesOfHeaders(others)];
  return Bun.deepEquals(names, otherNames) && names.every((name) => some![name]!.equals(others![name]));
}

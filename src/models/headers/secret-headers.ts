import type { Fail, Path, Schema } from "../../lib/schema/schema.ts";
import { Secret } from "../../lib/secret/secret.ts";

/** Request headers that an operator adds, by their names in lower case. Their values may be keys of a proxy, so all of them are secrets. */
export type SecretHeaders = Readonly<Record<string, Secret>>;

/** Headers as declared. Values that were parsed earlier are already secrets. */
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

/** Headers of the connection and of the body, headers of the credential, and headers that the gateway sets itself. */
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

/** Undefined if there are no headers. */
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

/** Only the names: values are never returned. */
export function namesOfHeaders(headers: SecretHeaders | undefined): string[] {
  return Object.keys(headers ?? {}).toSorted();
}

export function revealHeaders(headers: SecretHeaders | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, value.reveal()]));
}

/** Shorter values are not redacted, because they would occur in every message by chance. */
const MIN_REDACTED = 8;

/** The values that must be redacted in messages of the server. */
export function secretsIn(headers: SecretHeaders | undefined): Secret[] {
  return Object.values(headers ?? {}).filter((value) => value.reveal().length >= MIN_REDACTED);
}

/** Needed because generic comparisons consider any two secrets equal. */
export function hasSameHeaders(some: SecretHeaders | undefined, others: SecretHeaders | undefined): boolean {
  const [names, otherNames] = [namesOfHeaders(some), namesOfHeaders(others)];
  return Bun.deepEquals(names, otherNames) && names.every((name) => some![name]!.equals(others![name]));
}

import type { ByteText } from "../../../lib/text/byte-text.ts";
import type { OutgoingRequest } from "../../authorizer.ts";
import type { AwsKeys } from "../credential-source.ts";

/** The scope of a signature. */
interface SigningScope {
  readonly region: string;
  readonly service: string;
  /** The time of the signature, by the clock of AWS. */
  readonly atMs: number;
}

const ALGORITHM = "AWS4-HMAC-SHA256";

/** Headers that the client writes itself, or that a proxy on the way may change. */
const UNSIGNED = new Set([
  "authorization",
  "accept-encoding",
  "baggage",
  "connection",
  "content-length",
  "expect",
  "te",
  "traceparent",
  "tracestate",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "x-amzn-trace-id",
]);

/**
 * The headers of a request, with its signature: AWS Signature Version 4, in the `Authorization` header.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signRequest(request: OutgoingRequest, keys: AwsKeys, scope: SigningScope): Record<string, string> {
  const time = new Date(scope.atMs).toISOString().replace(/[:-]|\.\d{3}/g, "");
  const headers: Record<string, string> = { ...request.headers, "x-amz-date": time };
  if (keys.sessionToken) headers["x-amz-security-token"] = keys.sessionToken.reveal();

  const signed = canonicalHeaders({ ...headers, host: request.host });
  const signedNames = signed.map(([name]) => name).join(";");
  const canonicalRequest = [
    request.method,
    canonicalPath(request.target),
    canonicalQuery(request.target),
    ...signed.map(([name, value]) => `${name}:${value}`),
    "",
    signedNames,
    digestOf(request.body ?? []),
  ].join("\n");

  const day = time.slice(0, 8);
  const credentialScope = `${day}/${scope.region}/${scope.service}/aws4_request`;
  const stringToSign = [ALGORITHM, time, credentialScope, digestOf([canonicalRequest])].join("\n");
  const signature = hmac(signingKey(keys, day, scope), stringToSign).toString("hex");
  const credential = `${keys.accessKeyId}/${credentialScope}`;
  return { ...headers, authorization: `${ALGORITHM} Credential=${credential}, SignedHeaders=${signedNames}, Signature=${signature}` };
}

function canonicalHeaders(headers: Readonly<Record<string, string>>): [name: string, value: string][] {
  return Object.entries(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value.trim().replace(/\s+/g, " ")])
    .filter(([name]) => !UNSIGNED.has(name))
    .toSorted(byCode);
}

/** The path is encoded a second time, as every service except S3 requires. */
function canonicalPath(target: string): string {
  const segments: string[] = [];
  const path = target.split("?", 1)[0]!;
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(encode(segment));
  }
  return `/${segments.join("/")}${segments.length > 0 && path.endsWith("/") ? "/" : ""}`;
}

function canonicalQuery(target: string): string {
  const at = target.indexOf("?");
  if (at < 0) return "";
  return target
    .slice(at + 1)
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair): [string, string] => {
      const [name, ...value] = pair.split("=");
      return [encode(decodeURIComponent(name!)), encode(decodeURIComponent(value.join("=")))];
    })
    .toSorted(byCode)
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

/** Percent-encodes everything except the unreserved characters (RFC 3986). */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function byCode([name, value]: [string, string], [otherName, otherValue]: [string, string]): number {
  if (name !== otherName) return name < otherName ? -1 : 1;
  return value === otherValue ? 0 : value < otherValue ? -1 : 1;
}

/** The hash of a text as bytes: a body is `ByteText`, and everything else is ASCII. */
function digestOf(pieces: readonly (ByteText | string)[]): string {
  const hasher = new Bun.CryptoHasher("sha256");
  for (const piece of pieces) hasher.update(piece, "latin1");
  return hasher.digest("hex");
}

function signingKey({ secretAccessKey }: AwsKeys, day: string, { region, service }: SigningScope): Buffer {
  return [region, service, "aws4_request"].reduce<Buffer>(hmac, hmac(`AWS4${secretAccessKey.reveal()}`, day));
}

function hmac(key: string | Buffer, text: string): Buffer {
  return new Bun.CryptoHasher("sha256", key).update(text).digest();
}

import { isLiterallyPrivate, problemOfBaseUrl } from "../../../../models/base-url.ts";
import type { Fields } from "../yaml/fields.ts";
import { UnsupportedError, toSingleLine } from "../unsupported.ts";
import { isFilledIn, sampleOf, variableIn } from "../references.ts";

/** A base URL for tollgate.yaml. */
export interface ConvertedBaseUrl {
  /** It may start with `${NAME}`, or contain a variable for the region. */
  readonly baseUrl: string;
  /** A possible value of the base URL: the base URL itself, if it has no variable. */
  readonly sample: string;
  /** Whether it needs `allow_private: true`, according to its text. */
  readonly allowPrivate: boolean;
  /** Whether it uses http:// with a host name that may be public. Tollgate does not call public addresses without TLS. */
  readonly mayBeRefused: boolean;
}

/** The `api_base` of a deployment, or another field, without a trailing slash. */
export function givenBaseUrl(params: Fields, ...names: readonly string[]): string | undefined {
  const nodes = (names.length > 0 ? names : ["api_base", "base_url"]).map((name) => params.take(name));
  const node = nodes.find((each) => each !== undefined);
  if (!node) return undefined;
  if (node.text === undefined) throw new UnsupportedError("its api_base is not text");
  const variable = variableIn(node.text);
  if (variable !== undefined) return `\${${variable}}`;
  if (isFilledIn(node.text)) throw new UnsupportedError("its api_base contains ${…}, which Tollgate would expand as a variable");
  if (node.text !== toSingleLine(node.text)) throw new UnsupportedError("its api_base contains control characters");
  const address = node.text.trim().replace(/\/+$/, "");
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) throw new UnsupportedError("its api_base is not an http:// or https:// address");
  if (url.username || url.password) throw new UnsupportedError("its api_base contains a user, which a base URL must not have");
  // As a destination, 0.0.0.0 means this machine. Tollgate rejects it, but accepts the loopback address.
  return address.replace("//0.0.0.0", "//127.0.0.1");
}

const SAMPLE_ORIGIN = "https://sample.example";

/** Ensures that the config parser accepts it. `origin` is a possible value of a leading variable. */
export function checkBaseUrl(baseUrl: string, origin = SAMPLE_ORIGIN): ConvertedBaseUrl {
  const sample = sampleOf(baseUrl, origin);
  const url = URL.parse(sample);
  const isPrivate = url !== null && (isLiterallyPrivate(url) || isPrivateName(url.hostname));
  const allowPrivate = isPrivate || url?.protocol === "http:";
  const problem = problemOfBaseUrl(sample, allowPrivate);
  if (problem !== undefined) throw new UnsupportedError(`its base URL ${problem}`);
  return { baseUrl, sample, allowPrivate, mayBeRefused: allowPrivate && !isPrivate };
}

/**
 * A name outside the public DNS (without a dot, of the local network by RFC 6762, or reserved for private use), or the name of an AWS VPC
 * endpoint, which has private addresses.
 */
function isPrivateName(hostname: string): boolean {
  return !/[.:]/.test(hostname) || /\.(local|internal|vpce\.amazonaws\.com(\.cn)?)$/.test(hostname);
}

import { isLiterallyPrivate, problemOfBaseUrl } from "../../../models/base-url.ts";
import type { Fields } from "./fields.ts";
import { UnsupportedError, toSingleLine } from "./unsupported.ts";
import { isFilledIn, sampleOf, variableIn } from "./references.ts";

/** A base address as our file can have it. */
export interface ConvertedBaseUrl {
  /** It may begin with `${NAME}`, or have it for a region. */
  readonly baseUrl: string;
  /** An address that it could come to: itself, where it names no variable. */
  readonly sample: string;
  /** Whether it needs `allow_private: true`, as far as it can be told from its text. */
  readonly allowPrivate: boolean;
  /** Whether it is http:// to a name that may be a public one, and if so is not called. */
  readonly mayBeRefused: boolean;
}

/** The address that a deployment gives, without a slash at its end. */
export function givenBaseUrl(params: Fields): string | undefined {
  const [first, second] = [params.take("api_base"), params.take("base_url")];
  const node = first ?? second;
  if (!node) return undefined;
  if (node.text === undefined) throw new UnsupportedError("its api_base is not text");
  const variable = variableIn(node.text);
  if (variable !== undefined) return `\${${variable}}`;
  if (isFilledIn(node.text)) throw new UnsupportedError("its api_base has ${…} in it, which Tollgate would take for a variable");
  if (node.text !== toSingleLine(node.text)) throw new UnsupportedError("its api_base has control characters in it");
  const address = node.text.trim().replace(/\/+$/, "");
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) throw new UnsupportedError("its api_base is not an http:// or https:// address");
  if (url.username || url.password)
    throw new UnsupportedError("its api_base has a user in it, and the address of an upstream must be bare");
  // To call 0.0.0.0 is to call this machine. Tollgate wants that said.
  return address.replace("//0.0.0.0", "//127.0.0.1");
}

const SAMPLE_ORIGIN = "https://sample.example";

/** Makes sure that our parser will take it. `origin` is what a variable at its beginning could hold. */
export function checkBaseUrl(baseUrl: string, origin = SAMPLE_ORIGIN): ConvertedBaseUrl {
  const sample = sampleOf(baseUrl, origin);
  const url = URL.parse(sample);
  const isPrivate = url !== null && (isLiterallyPrivate(url) || isPrivateName(url.hostname));
  const allowPrivate = isPrivate || url?.protocol === "http:";
  const problem = problemOfBaseUrl(sample, allowPrivate);
  if (problem !== undefined) throw new UnsupportedError(`its address ${problem}`);
  return { baseUrl, sample, allowPrivate, mayBeRefused: allowPrivate && !isPrivate };
}

/** A name that the public DNS does not have: one without a dot, of the local network (RFC 6762), or reserved for private use. */
function isPrivateName(hostname: string): boolean {
  return !/[.:]/.test(hostname) || /\.(local|internal)$/.test(hostname);
}

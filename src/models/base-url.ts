import { addressIn, isMetadataAddress, kindOfAddress } from "../lib/net/ip-address.ts";
import type { Dialect } from "./upstream-settings.ts";

/** Decides which addresses an upstream may have. */
export interface EgressRule {
  /** Whether the operator allows loopback and private addresses. */
  readonly allowPrivate: boolean;
  /** Whether the URL is https://. A credential must not cross the internet in plaintext. */
  readonly isEncrypted: boolean;
  /** Whether it may be the metadata service of a cloud. It may be only for obtaining the credentials of an identity. */
  readonly isForMetadata?: boolean | undefined;
}

/**
 * Why an upstream must not be called at this address, as a clause; undefined if it may be called. SSRF protection: a user who can choose an
 * upstream's URL, or the DNS records of its host, must not reach internal services through the gateway.
 */
export function refusalOfAddress(address: string, { allowPrivate, isEncrypted, isForMetadata }: EgressRule): string | undefined {
  if (isForMetadata && isMetadataAddress(address)) return undefined;
  const { reach, name } = kindOfAddress(address);
  if (reach === "never") return `${address} is ${name}, and is never called`;
  if (reach === "private" && !allowPrivate) return `${address} is ${name}, which needs allow_private: true`;
  if (reach === "public" && !isEncrypted) return `${address} is ${name}, which needs https://`;
  return undefined;
}

/** Paths that the gateway appends to a base URL, and that people often paste with it. */
const ADDED_PATHS: readonly { readonly path: string; readonly in: RegExp; readonly dialect?: Dialect }[] = [
  { path: "/chat/completions", in: /\/chat\/completions\/*$/ },
  { path: "/responses", in: /\/responses\/*$/, dialect: "responses" },
  { path: "/messages", in: /\/messages\/*$/, dialect: "anthropic" },
  { path: "/models", in: /\/models(\/|$)|:\w*generateContent\b/i, dialect: "gemini" },
  { path: "/openai", in: /\/openai(\/|$)/, dialect: "bedrock" },
  { path: "/model", in: /\/model(\/|$)/, dialect: "bedrock" },
];

/**
 * The error in an upstream's base URL, worded to follow the field's name; undefined if the URL is valid. DNS names are not resolved here:
 * the resolved address is checked for each connection.
 */
export function problemOfBaseUrl(text: string, allowPrivate: boolean, dialect: Dialect = "openai"): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return "must be an http:// or https:// address";
  const added = ADDED_PATHS.find((each) => (each.dialect ?? dialect) === dialect && each.in.test(url.pathname));
  if (added) return `must end before ${added.path}`;
  if (url.username || url.password || url.search || url.hash) return "must be a bare address: no user, no query, no fragment";
  // Copied from Tollgate's own messages and tables, where `{…}` is a placeholder for the customer's part.
  const [blank] = /\{[^}]*\}?|\}/.exec(text) ?? [];
  if (blank !== undefined) return `must have your own value instead of ${blank}`;
  const isEncrypted = url.protocol === "https:";
  if (!isEncrypted && !allowPrivate)
    return "must be https://; http:// is only allowed for this machine or a private network, with allow_private: true";
  return problemOfHost(url, { allowPrivate, isEncrypted });
}

/**
 * The same for a webhook URL: no alert leaves this machine in plaintext. `mayHaveQuery`: the URL is stored as a secret, so it may have a
 * query.
 */
export function problemOfWebhookUrl(text: string, allowPrivate: boolean, mayHaveQuery = false): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return "must be an https:// address";
  if (url.username || url.password || url.hash)
    return mayHaveQuery ? "must have no user and no fragment" : "must be a bare address: no user, no query, no fragment";
  if (url.search && !mayHaveQuery) return "must be a bare address: no user, no query, no fragment";
  const isEncrypted = url.protocol === "https:";
  if (!isEncrypted && !(allowPrivate && isLoopback(url.hostname)))
    return "must be https://; http:// is only allowed for this machine, with allow_private: true";
  return problemOfHost(url, { allowPrivate, isEncrypted });
}

function problemOfHost({ hostname }: URL, rule: EgressRule): string | undefined {
  const literal = literalAddressOf(hostname);
  const refusal = literal === undefined ? undefined : refusalOfAddress(literal, rule);
  return refusal === undefined ? undefined : `cannot be used: ${refusal}`;
}

function isLoopback(hostname: string): boolean {
  const literal = literalAddressOf(hostname);
  return literal !== undefined && (literal === "::1" || literal.startsWith("127."));
}

/** Whether this host is a loopback or private address, without resolving names. */
export function isLiterallyPrivate(url: URL): boolean {
  const literal = literalAddressOf(url.hostname);
  return literal !== undefined && kindOfAddress(literal).reach === "private";
}

/** Like `addressIn`, but `localhost` and names below it are loopback, whatever a resolver returns (RFC 6761). */
function literalAddressOf(hostname: string): string | undefined {
  return /(^|\.)localhost\.*$/.test(hostname) ? "127.0.0.1" : addressIn(hostname);
}

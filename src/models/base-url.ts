import { addressIn, kindOfAddress } from "../lib/net/ip-address.ts";
import type { Dialect } from "./upstream-settings.ts";

/** What decides which addresses an upstream may be at. */
export interface EgressRule {
  /** Whether the operator permits this machine and its private networks. */
  readonly allowPrivate: boolean;
  /** Whether it is called by https://. In clear text a credential must not cross the internet. */
  readonly isEncrypted: boolean;
}

/**
 * Why an upstream must not be called at this address, as a sentence without its end; undefined where it may. Whoever can
 * choose an upstream's address, or what its name resolves to, must not reach what only this machine can reach.
 */
export function refusalOfAddress(address: string, { allowPrivate, isEncrypted }: EgressRule): string | undefined {
  const { reach, name } = kindOfAddress(address);
  if (reach === "never") return `${address} is ${name}, and is never called`;
  if (reach === "private" && !allowPrivate) return `${address} is ${name}, which needs allow_private: true`;
  if (reach === "public" && !isEncrypted) return `${address} is ${name}, which needs https://`;
  return undefined;
}

/** The paths that are added to a base URL, and that people often paste with it: in every dialect, and in some. */
const ADDED_PATHS: readonly { readonly path: string; readonly in: RegExp; readonly dialect?: Dialect }[] = [
  { path: "/chat/completions", in: /\/chat\/completions\/*$/ },
  { path: "/messages", in: /\/messages\/*$/, dialect: "anthropic" },
  { path: "/models", in: /\/models(\/|$)|:\w*generateContent\b/i, dialect: "gemini" },
];

/**
 * What is wrong with the base URL of an upstream, as the end of a sentence that begins with the field's name; undefined
 * where nothing is. What a name resolves to is not known here: that is checked at each connection.
 */
export function problemOfBaseUrl(text: string, allowPrivate: boolean, dialect: Dialect = "openai"): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return "must be an http:// or https:// address";
  const added = ADDED_PATHS.find((each) => (each.dialect ?? dialect) === dialect && each.in.test(url.pathname));
  if (added) return `must end before ${added.path}`;
  if (url.username || url.password || url.search || url.hash) return "must be a bare address: no user, no query, no fragment";
  // Out of our own messages and tables, where it stands for the customer's part.
  const [blank] = /\{[^}]*\}?|\}/.exec(text) ?? [];
  if (blank !== undefined) return `must have your own part in the place of ${blank}`;
  const isEncrypted = url.protocol === "https:";
  if (!isEncrypted && !allowPrivate) return "must be https://, or http:// to a private network with allow_private: true";
  return problemOfHost(url, { allowPrivate, isEncrypted });
}

/** The same for the address of a webhook: in clear text no alert leaves this machine. */
export function problemOfWebhookUrl(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return "must be an https:// address";
  if (url.username || url.password || url.search || url.hash) return "must be a bare address: no user, no query, no fragment";
  const isEncrypted = url.protocol === "https:";
  if (!isEncrypted && !(allowPrivate && isLoopback(url.hostname)))
    return "must be https://, or http:// to this machine with allow_private: true";
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

/** Whether this address, without any resolving, leads to this machine or a private network. */
export function isLiterallyPrivate(url: URL): boolean {
  const literal = literalAddressOf(url.hostname);
  return literal !== undefined && kindOfAddress(literal).reach === "private";
}

/** As `addressIn`, where `localhost` and what ends in it is this machine, whatever a resolver says (RFC 6761). */
function literalAddressOf(hostname: string): string | undefined {
  return /(^|\.)localhost\.*$/.test(hostname) ? "127.0.0.1" : addressIn(hostname);
}

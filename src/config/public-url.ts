import { ConfigError, type Environment } from "./config-error.ts";
import type { ListenerSettings } from "./listener-settings.ts";
import { isLoopback } from "./variables.ts";

/** The names of the variables. */
interface UrlVariables {
  readonly gatewayUrl: string;
  readonly platformUrl: string;
  readonly platformHost: string;
  readonly platformSocket: string;
}

/** The platform's own paths. Some proxies strip a path prefix and others do not, so such a prefix would be ambiguous. */
const OWN_PATH = /^\/(api|assets|docs|metrics)(?=\/|$)/;

/** The path becomes part of pages, examples and cookie paths. */
const PLAIN_PATH = /^(\/[\w.~-]+)*\/?$/;

/**
 * The platform's public URL. It is required when other machines can reach the platform, because a server that accepts any `Host` is open
 * to DNS rebinding.
 */
export function readPlatformUrl(env: Environment, names: UrlVariables, { hostname, socket, tls }: ListenerSettings): URL | undefined {
  const url = readPublicUrl(env, names.platformUrl, "passwords");
  const ours = url && OWN_PATH.exec(url.pathname)?.[0];
  if (ours) {
    throw new ConfigError(
      `${names.platformUrl} has a path that starts with ${ours}, which is reserved by the platform: use another, such as /tollgate`,
    );
  }
  if (url) return withTls(url, names.platformUrl, tls);
  if (isLoopback(hostname) && !socket) return undefined;
  const whereAt = socket
    ? `${names.platformSocket} is set, which browsers reach through a proxy`
    : `${names.platformHost} is ${hostname}, which other machines can reach`;
  throw new ConfigError(`${whereAt}: set ${names.platformUrl} to the platform's public https:// URL`);
}

/** Clients use the URL with `/v1`, so the setting may have that suffix. */
export function readGatewayUrl(env: Environment, names: UrlVariables, { tls }: ListenerSettings): string | undefined {
  const url = readPublicUrl(env, names.gatewayUrl, "keys");
  return url && withTls(url, names.gatewayUrl, tls).href.replace(/\/+$/, "").replace(/\/v1$/, "");
}

/** Rejects an http:// URL for a listener with TLS, which does not serve clients that connect without TLS. */
function withTls(url: URL, name: string, tls: ListenerSettings["tls"]): URL {
  if (!tls || url.protocol === "https:") return url;
  throw new ConfigError(`${name} is an http:// URL, but ${tls.certificate.variable} is set: it must be https://`);
}

/**
 * A public URL of this installation. It is used in links and examples, so it must be safe to send secrets to: encrypted, or on this
 * machine.
 */
function readPublicUrl(env: Environment, name: string, secrets: "passwords" | "keys"): URL | undefined {
  const text = env[name];
  if (!text) return undefined;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new ConfigError(`${name} must be an https:// URL`);
  if (url.username || url.password || url.search || url.hash) {
    throw new ConfigError(`${name} must be a bare URL: no user, no query, no fragment`);
  }
  if (!PLAIN_PATH.test(url.pathname)) {
    throw new ConfigError(`${name} must have a simple path or none: letters, digits and . _ ~ - between slashes`);
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new ConfigError(`${name} must be https://, or ${secrets} would cross the network in plaintext`);
  }
  return url;
}

import { ConfigError, type Environment } from "./config-error.ts";

/** The path becomes part of pages and examples, and of where a cookie is sent. */
const PLAIN_PATH = /^(\/[\w.~-]+)*\/?$/;

/**
 * An address that others reach us by. It goes into links and examples, so it must be one that a secret can be sent to: encrypted,
 * unless it is this machine's own.
 */
export function readPublicUrl(env: Environment, name: string, secrets: "passwords" | "keys"): URL | undefined {
  const text = env[name];
  if (!text) return undefined;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new ConfigError(`${name} must be an https:// address`);
  if (url.username || url.password || url.search || url.hash) {
    throw new ConfigError(`${name} must be a bare address: no user, no query, no fragment`);
  }
  if (!PLAIN_PATH.test(url.pathname)) {
    throw new ConfigError(`${name} must have a plain path, or none: letters, digits and . _ ~ - between slashes`);
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new ConfigError(`${name} must be https://, or ${secrets} would cross the network in clear text`);
  }
  return url;
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname);
}

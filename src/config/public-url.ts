import { ConfigError, type Environment } from "./config-error.ts";

/** The path becomes part of pages, examples and cookie paths. */
const PLAIN_PATH = /^(\/[\w.~-]+)*\/?$/;

/**
 * A public URL of this installation. It is used in links and examples, so it must be safe to send secrets to: encrypted, or on this
 * machine.
 */
export function readPublicUrl(env: Environment, name: string, secrets: "passwords" | "keys"): URL | undefined {
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

export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname);
}

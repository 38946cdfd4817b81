/**
 * Headers of every platform reply. Pages load nothing from other origins, run no inline script, and cannot be framed or reached from the
 * window that opened them; replies are private to the client, so no intermediary may cache them.
 */
const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Half a year, a common value. Without subdomains, which may belong to others. */
const BY_TLS_ALONE = { "strict-transport-security": "max-age=15768000" };

/** `publicUrl` is the platform's public URL, if it is known. A browser that has connected by TLS once uses nothing else then. */
export function platformHeaders(publicUrl: URL | undefined): Readonly<Record<string, string>> {
  return publicUrl?.protocol === "https:" ? { ...HEADERS, ...BY_TLS_ALONE } : HEADERS;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/;

/**
 * Whether a `Host` header names this server: its public name, its own address, or this machine. DNS rebinding needs a name of the
 * attacker's, so IP addresses are accepted when it listens on all of them.
 */
export function ownHosts(hostname: string, publicUrl: URL | undefined): (host: string) => boolean {
  const bound = hostname.includes(":") ? `[${hostname}]` : hostname.toLowerCase();
  const isOnAll = bound === "0.0.0.0" || bound === "[::]";
  return (host) => {
    if (publicUrl && host.toLowerCase() === publicUrl.host) return true;
    const name = host.toLowerCase().replace(/:\d+$/, "");
    return name === bound || LOOPBACK.test(name) || (isOnAll && ADDRESS.test(name));
  };
}

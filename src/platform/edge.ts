/**
 * Headers of every reply of the platform. Its pages load nothing from elsewhere, run no inline script, and cannot be framed, nor
 * reached from a window that opened them; what it says belongs to whoever asked, so nothing on the way may keep it.
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

/** Half a year, which is what most sites say. Only of this name: the neighbours of it are not ours. */
const BY_TLS_ALONE = { "strict-transport-security": "max-age=15768000" };

/** `publicUrl` where people reach the platform, if that is known. A browser that came by TLS once comes by nothing else then. */
export function platformHeaders(publicUrl: URL | undefined): Readonly<Record<string, string>> {
  return publicUrl?.protocol === "https:" ? { ...HEADERS, ...BY_TLS_ALONE } : HEADERS;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/;

/**
 * Whether a `Host` header means this server: the name it is published under, its own address, or this machine's. An attack by
 * DNS rebinding needs a name of the attacker's, so addresses are let through where it listens on all of them.
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

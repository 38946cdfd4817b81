/**
 * Headers of every reply of the platform. Its pages load nothing from elsewhere, run no inline script, and cannot be framed;
 * what it says belongs to whoever asked, so nothing on the way may keep it.
 */
export const PLATFORM_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

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

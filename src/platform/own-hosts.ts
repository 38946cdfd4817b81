const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/;

/**
 * Whether a `Host` header names this server: its public name, its own address, or this machine. DNS rebinding needs a name that the
 * attacker controls, so any IP address is accepted if the server listens on all addresses.
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

import { isWithin, type AddressRange } from "../lib/net/ip-address.ts";
import type { Secret } from "../lib/secret/secret.ts";

/** An HTTP proxy through which upstreams are called. */
export interface EgressProxy {
  readonly hostname: string;
  readonly port: number;
  /** The value of `Proxy-Authorization`, if the proxy's URL has credentials. */
  readonly authorization: Secret | undefined;
  /** The variable that sets the proxy. */
  readonly variable: string;
}

/** A host of `NO_PROXY`, which includes the names below it. */
export interface DirectHost {
  readonly name: string;
  /** Undefined for every port. */
  readonly port: number | undefined;
}

/** How this process reaches the servers that it calls. */
export interface EgressSettings {
  /** The proxies for `https://` and for `http://` URLs: the environment may name one or both. */
  readonly encrypted: EgressProxy | undefined;
  readonly plain: EgressProxy | undefined;
  /** The target of a tunnel: the address that Tollgate has checked, or the name, which the proxy resolves. */
  readonly target: "address" | "name";
  /** From `NO_PROXY`. */
  readonly directHosts: readonly DirectHost[];
  readonly directRanges: readonly AddressRange[];
}

/** The proxy for a host; undefined if the host is called directly. This machine is never called through a proxy. */
export function proxyOf(
  { encrypted, plain, directHosts }: EgressSettings,
  host: { readonly hostname: string; readonly port: number; readonly isEncrypted: boolean },
): EgressProxy | undefined {
  const name = host.hostname.toLowerCase().replace(/\.$/, "");
  if (/^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(name)) return undefined;
  const isDirect = directHosts.some(
    (each) =>
      (each.name === "*" || name === each.name || name.endsWith(`.${each.name}`)) && (each.port === undefined || each.port === host.port),
  );
  if (isDirect) return undefined;
  return host.isEncrypted ? encrypted : plain;
}

/** Whether an address is called directly, whatever its host name is. */
export function isDirectAddress({ directRanges }: EgressSettings, address: string): boolean {
  return directRanges.length > 0 && isWithin(address, directRanges);
}

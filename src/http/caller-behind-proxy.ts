import { isAddress, isWithin, type AddressRange } from "../lib/net/ip-address.ts";
import type { HeaderFields } from "../lib/http1/header-fields.ts";

/**
 * The client's address behind trusted proxies. Each proxy appends the address that it was called from to `X-Forwarded-For`; anything
 * further to the left may be forged by the client. So the header is read from right to left, skipping trusted proxies: the first address
 * that is not a trusted proxy is the client's. Without a usable header, the result is the proxy's own address. `isOnSocket`: the listener
 * has a unix socket, to which only a proxy can connect, and whose connections have no address.
 */
export function callerBehindProxy(
  proxies: readonly AddressRange[],
  isOnSocket: boolean,
): (peer: string | null, headers: HeaderFields) => string | null {
  return (peer, headers) => {
    if (!isOnSocket && (peer === null || !isWithin(peer, proxies))) return peer;
    const forwarded = (headers.get("x-forwarded-for") ?? "").split(",").map((each) => each.trim());
    const caller = forwarded.findLast((address) => !isWithin(address, proxies));
    return caller !== undefined && isAddress(caller) ? caller : peer;
  };
}

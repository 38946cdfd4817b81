import { isAddress, isWithin, type AddressRange } from "../lib/net/ip-address.ts";
import type { HeaderFields } from "../lib/http1/header-fields.ts";

/**
 * Who is calling, where a connection may come from a proxy of ours. Each proxy adds the address that it was called from at the
 * right end of `X-Forwarded-For`; whatever stands further to the left the caller may have sent. So it is read from the right, as
 * far as it was our own proxies that wrote it: the first address that is none of theirs is the caller's. Where the header says
 * nothing of use, the proxy's own address is all that is known.
 */
export function callerBehindProxy(proxies: readonly AddressRange[]): (peer: string, headers: HeaderFields) => string {
  return (peer, headers) => {
    if (!isWithin(peer, proxies)) return peer;
    const forwarded = (headers.get("x-forwarded-for") ?? "").split(",").map((each) => each.trim());
    const caller = forwarded.findLast((address) => !isWithin(address, proxies));
    return caller !== undefined && isAddress(caller) ? caller : peer;
  };
}

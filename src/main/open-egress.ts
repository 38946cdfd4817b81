import type { Log } from "../lib/log/log.ts";
import type { EgressSettings } from "../models/egress-proxy.ts";
import { useEgress } from "../upstreams/egress/destination.ts";

/** Applies the proxy of this process, and logs which one it is: it may come from a variable that was meant for other programs. */
export function openEgress(settings: EgressSettings | undefined, log: Pick<Log, "write">): void {
  useEgress(settings);
  if (!settings) return;
  const proxies = new Set([settings.encrypted, settings.plain].map((each) => each && `${each.hostname}:${each.port} (${each.variable})`));
  const names = [...proxies].filter((each) => each !== undefined).join(" and ");
  const unchecked = settings.target === "name" ? "; it resolves their names, so their addresses are not checked" : "";
  log.write({ event: "egress_proxy", message: `upstreams are called through the proxy ${names}${unchecked}` });
}

import type { IpcPeer } from "../../lib/ipc/ipc-service.ts";
import { Reporter } from "../../lib/ipc/reporter.ts";
import { Reports } from "../../lib/ipc/reports.ts";
import type { SpendLimit } from "../../money/headroom.ts";
import type { Spender } from "../../money/tally.ts";
import type { Refusals, RefusedSpender } from "./refusals.ts";

const REFUSALS_SERVICE = "refusals";

/** Keys and accounts with the limits that rejected their requests since the last report. */
type RefusalReport = readonly {
  readonly scope: Spender;
  readonly id: string;
  readonly refused: readonly (readonly [what: SpendLimit["what"], leftNanos: string])[];
}[];

/** Reports the rejected requests of a gateway process to the owner, which evaluates the alert rules. */
export function reportRefusals(refusals: Refusals, owner: IpcPeer): Reporter {
  return new Reporter({ name: REFUSALS_SERVICE, owner, take: () => toReport(refusals.take()) });
}

/** In the owner: adds the rejected requests that gateway processes report to the owner's own. */
export function receiveRefusals(refusals: Refusals): Reports {
  return new Reports({
    name: REFUSALS_SERVICE,
    receive(_, report) {
      for (const { scope, id, refused } of report as RefusalReport) {
        refusals.add({ scope, id, refused: new Map(refused.map(([what, nanos]) => [what, BigInt(nanos)])) });
      }
    },
  });
}

function toReport(spenders: readonly RefusedSpender[]): RefusalReport | undefined {
  if (spenders.length === 0) return undefined;
  return spenders.map(({ scope, id, refused }) => ({
    scope,
    id,
    refused: refused
      .entries()
      .map(([what, nanos]) => [what, String(nanos)] as const)
      .toArray(),
  }));
}

import type { HistoricalRequest } from "../../stores/ledger/request-history-store.ts";
import type { ErrorCode } from "../../requests/api-error.ts";
import type { Nanos } from "../../money/money.ts";
import { purseKey, type PurseKey } from "../../money/purse.ts";
import { chargedFor, type Refusal } from "./simulation.ts";

/** Sums over requests, actual and simulated. */
export class Sums {
  requests = 0;
  refused = 0;
  chargedNanos: Nanos = 0n;
  wouldBeNanos: Nanos = 0n;

  add(chargedNanos: Nanos, wouldBeNanos: Nanos, isRefused: boolean): void {
    this.requests++;
    if (isRefused) this.refused++;
    this.chargedNanos += chargedNanos;
    this.wouldBeNanos += wouldBeNanos;
  }

  get differenceNanos(): Nanos {
    return this.wouldBeNanos - this.chargedNanos;
  }

  get isAffected(): boolean {
    return this.refused > 0 || this.differenceNanos !== 0n;
  }
}

/** The sums overall, by key and by model. */
export class PreviewSums {
  readonly all = new Sums();
  readonly byKey = new Map<string, Sums>();
  readonly byModel = new Map<string, Sums>();
  readonly refusedBy = new Map<ErrorCode, number>();
  /** The purses of end users and tag values whose own limits or spend caps have rejected a request. */
  readonly refusedUsers = new Set<PurseKey>();
  readonly refusedTags = new Set<PurseKey>();

  add(request: HistoricalRequest, refusal: Refusal | undefined, wouldBeNanos: Nanos): void {
    const isRefused = refusal !== undefined;
    const charged = chargedFor(request);
    for (const sums of [this.all, sumsOf(this.byKey, request.keyId), sumsOf(this.byModel, request.model)]) {
      sums.add(charged, wouldBeNanos, isRefused);
    }
    if (!isRefused) return;
    const { code, purse } = refusal;
    this.refusedBy.set(code, (this.refusedBy.get(code) ?? 0) + 1);
    if (purse?.scope === "user") this.refusedUsers.add(purseKey(purse));
    else if (purse?.scope === "tag") this.refusedTags.add(purseKey(purse));
  }
}

function sumsOf(sums: Map<string, Sums>, name: string): Sums {
  let found = sums.get(name);
  if (!found) sums.set(name, (found = new Sums()));
  return found;
}

/** Sorts the most affected first: by rejections, by cost difference, by requests. */
export function mostAffectedFirst([idA, a]: readonly [string, Sums], [idB, b]: readonly [string, Sums]): number {
  const byMoney = Number(size(b.differenceNanos) - size(a.differenceNanos));
  return b.refused - a.refused || byMoney || b.requests - a.requests || (idA < idB ? -1 : 1);
}

function size(nanos: Nanos): Nanos {
  return nanos < 0n ? -nanos : nanos;
}

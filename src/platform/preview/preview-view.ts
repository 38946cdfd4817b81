import { formatDollars } from "../../money/money.ts";
import { viewPrice } from "../../money/view-price.ts";
import { viewTime } from "../endpoints/fields/times.ts";
import type { Platform } from "../platform.ts";
import { hardestFirst, type PreviewSums, type Sums } from "./preview-sums.ts";
import type { WhatIf } from "./simulation.ts";

/** So many keys and models are told by name. */
const FIRST = 20;

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export function viewPreview(whatIf: WhatIf, sums: PreviewSums, { fromMs, toMs }: Span, platform: Platform): object {
  const { all, refusedBy, byKey, byModel } = sums;
  return {
    from: viewTime(fromMs),
    to: viewTime(toMs),
    requests: all.requests,
    refused: all.refused,
    refused_by: Object.fromEntries([...refusedBy].toSorted(([, a], [, b]) => b - a)),
    money: {
      charged: formatDollars(all.chargedNanos),
      would_be_charged: formatDollars(all.wouldBeNanos),
      difference: formatDollars(all.differenceNanos),
    },
    keys: viewTouched(byKey, whatIf, (id) => namesOf(id, platform)),
    models: viewTouched(byModel, whatIf, () => ({})),
    price: whatIf.price ? viewPrice(whatIf.price) : null,
    replacement: whatIf.replacement ?? null,
  };
}

function viewTouched(by: ReadonlyMap<string, Sums>, { isNoticedByAll }: WhatIf, more: (id: string) => object): object {
  const touched = [...by].filter(([, sums]) => isNoticedByAll || sums.isOther).toSorted(hardestFirst);
  return { count: touched.length, first: touched.slice(0, FIRST).map(([id, sums]) => ({ id, ...more(id), ...viewSums(sums) })) };
}

function namesOf(keyId: string, { keys }: Platform): object {
  const { name, accountId } = keys.find(keyId)!;
  return { name, account: accountId };
}

function viewSums({ requests, refused, chargedNanos, wouldBeNanos }: Sums): object {
  return { requests, refused, charged: formatDollars(chargedNanos), would_be_charged: formatDollars(wouldBeNanos) };
}

import { formatDollars } from "../../money/money.ts";
import { viewPrice } from "../../money/view-price.ts";
import { viewTime } from "../endpoints/fields.ts";
import type { Platform } from "../platform.ts";
import { mostAffectedFirst, type PreviewSums, type Sums } from "./preview-sums.ts";
import type { Simulation } from "./simulation.ts";

/** The number of keys and models that are listed by name. */
const FIRST = 20;

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export function viewPreview(simulation: Simulation, sums: PreviewSums, { fromMs, toMs }: Span, platform: Platform) {
  const { all, refusedBy, refusedUsers, refusedTags, byKey, byModel } = sums;
  return {
    from: viewTime(fromMs),
    to: viewTime(toMs),
    requests: all.requests,
    refused: all.refused,
    refused_by: Object.fromEntries([...refusedBy].toSorted(([, a], [, b]) => b - a)),
    refused_end_users: refusedUsers.size,
    refused_tag_values: refusedTags.size,
    money: {
      charged: formatDollars(all.chargedNanos),
      would_be_charged: formatDollars(all.wouldBeNanos),
      difference: formatDollars(all.differenceNanos),
    },
    keys: viewAffected(byKey, simulation, (id) => namesOf(id, platform)),
    models: viewAffected(byModel, simulation, () => ({})),
    price: simulation.price ? viewPrice(simulation.price) : null,
    prices_from: simulation.pricesFromMs === undefined ? null : viewTime(simulation.pricesFromMs),
    replacement: simulation.replacement ?? null,
  };
}

function viewAffected(by: ReadonlyMap<string, Sums>, { affectsAll }: Simulation, more: (id: string) => object) {
  const affected = [...by].filter(([, sums]) => affectsAll || sums.isAffected).toSorted(mostAffectedFirst);
  return { count: affected.length, first: affected.slice(0, FIRST).map(([id, sums]) => ({ id, ...more(id), ...viewSums(sums) })) };
}

function namesOf(keyId: string, { keys }: Platform) {
  const { name, accountId } = keys.find(keyId)!;
  return { name, account: accountId };
}

function viewSums({ requests, refused, chargedNanos, wouldBeNanos }: Sums) {
  return { requests, refused, charged: formatDollars(chargedNanos), would_be_charged: formatDollars(wouldBeNanos) };
}

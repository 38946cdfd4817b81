import type { Exchange } from "../../http/endpoint.ts";
import type { ReadOnlyCall } from "../operation.ts";
import type { Platform } from "../platform.ts";
import type { Simulation, SimulatedAdmission } from "./simulation.ts";
import { Reply } from "../../lib/http1/server/reply.ts";
import type { HistoricalRequest } from "../../stores/ledger/request-history-store.ts";
import { PreviewSums, mostAffectedFirst, type Sums } from "./preview-sums.ts";
import { formatDollars } from "../../money/money.ts";
import { viewPrice } from "../../money/view-price.ts";
import { viewTime } from "../endpoints/fields.ts";

const SPAN_MS = 7 * 24 * 60 * 60 * 1000;
/**
 * Requests that were admitted less than this time before the range may still be in flight at its start. Hardly any request takes longer.
 */
const LEAD_MS = 60 * 60 * 1000;

/**
 * Simulates a change on the requests of the last seven days by replaying their admission from the ledger. Nothing is saved. Other
 * requests are served meanwhile.
 */
export function previewChange(
  simulation: Simulation,
  { actor, exchange }: Pick<ReadOnlyCall, "actor" | "exchange">,
  platform: Platform,
): Promise<Reply> {
  return platform.reportLimit.run(actor, "preview", () => replayed(simulation, exchange, platform));
}

async function replayed(simulation: Simulation, exchange: Exchange, platform: Platform): Promise<Reply> {
  // No idle timeout: nothing is sent until all entries have been read.
  exchange.setIdleTimeout(0);
  const toMs = platform.nowMs();
  const fromMs = toMs - SPAN_MS;
  const replay = new Replay(await simulation.startAdmission(fromMs), fromMs);
  for (const concerned of simulation.concerns) {
    const filter = { ...concerned, sinceMs: fromMs - LEAD_MS };
    await platform.requestHistory.each(filter, (requests) => requests.forEach((each) => replay.add(each)), exchange.request.signal);
  }
  return Reply.json(viewPreview(simulation, replay.sums, { fromMs, toMs }, platform));
}

/**
 * Replays the admission of past requests with a simulation. Requests that were admitted before the range are not simulated: they only count
 * as in flight at its start.
 */
class Replay {
  readonly sums = new PreviewSums();
  readonly #admission: SimulatedAdmission;
  readonly #fromMs: number;
  /** Requests in flight that have an end, ordered by the IDs of their end entries. */
  readonly #inFlight: HistoricalRequest[] = [];

  constructor(admission: SimulatedAdmission, fromMs: number) {
    this.#admission = admission;
    this.#fromMs = fromMs;
  }

  /** Adds the next request, in the order of admission. */
  add(request: HistoricalRequest): void {
    this.#endUpTo(request.id);
    if (request.atMs < this.#fromMs) return this.#admit(request);
    const refusal = this.#admission.refusalOf(request);
    this.sums.add(request, refusal, refusal === undefined ? this.#admission.chargeOf(request) : 0n);
    if (refusal === undefined) this.#admit(request);
  }

  #admit(request: HistoricalRequest): void {
    this.#admission.take(request);
    if (!request.end) return;
    // Most requests end after earlier ones, so the position is near the end.
    const at = this.#inFlight.findLastIndex(({ end }) => end!.id < request.end!.id);
    this.#inFlight.splice(at + 1, 0, request);
  }

  #endUpTo(id: number): void {
    while (this.#inFlight.length > 0 && this.#inFlight[0]!.end!.id < id) this.#admission.end(this.#inFlight.shift()!);
  }
}

/** The number of keys and models that are listed by name. */
const FIRST = 20;

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

function viewPreview(simulation: Simulation, sums: PreviewSums, { fromMs, toMs }: Span, platform: Platform) {
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

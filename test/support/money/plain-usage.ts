import { NO_NAME, nameIn, OTHER_NAMES, type Attribution } from "../../../src/money/attribution.ts";
import type {
  AttributedUsage,
  LargestGroups,
  UsageDimension,
  CostedMeasures,
  UsageReportQuery,
  UsageRow,
} from "../../../src/stores/ledger/ledger-record-store.ts";

/** An ended request, as a test records it. */
export interface EndedRequest {
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  /** Empty if no upstream has answered, which is a failure. */
  readonly upstream: string;
  readonly atMs: number;
  readonly usage: Readonly<Record<"promptTokens" | "cachedTokens" | "cacheWriteTokens" | "completionTokens" | "reasoningTokens", number>>;
  readonly costNanos: bigint;
  readonly unchargedNanos: bigint;
  /** The provider's charge; undefined if it is not known. */
  readonly upstreamCostNanos?: bigint | undefined;
  readonly attribution?: Attribution | undefined;
}

const NAMES: Record<Exclude<UsageDimension, "attributed">, (request: EndedRequest) => string> = {
  model: ({ model }) => model,
  key: ({ keyId }) => keyId,
  account: ({ accountId }) => accountId,
  upstream: ({ upstream }) => upstream,
};

/** The expected usage report, computed in the simplest way. It shares only this purpose with the real implementation. */
export function addUpPlainly(
  all: readonly EndedRequest[],
  question: UsageReportQuery,
  namesPerDay: (day: number) => number = () => Infinity,
): { rows: UsageRow[]; total: CostedMeasures } {
  const { bounds, by, accountId, keyId, model, attributed, largest } = question;
  const attributedTo = attributed ? namesInReports(all, attributed, namesPerDay) : new Map<EndedRequest, string>();
  const nameOf = (each: EndedRequest, dimension: UsageDimension): string =>
    dimension === "attributed" ? attributedTo.get(each)! : NAMES[dimension](each);
  const asked = all
    .filter((each) => !attributed?.names || attributed.names.includes(attributedTo.get(each)!))
    .filter((each) => each.atMs >= bounds[0]! && each.atMs < bounds.at(-1)!)
    .filter((each) => (accountId ?? each.accountId) === each.accountId && (keyId ?? each.keyId) === each.keyId)
    .filter((each) => (model ?? each.model) === each.model);
  const namesOf = (each: EndedRequest): string[] => by.map((dimension) => nameOf(each, dimension));
  const shown = largest && findLargest(asked, largest, namesOf);
  const rows = new Map<string, { fromMs: number; names: string[]; of: EndedRequest[] }>();
  for (const each of asked) {
    const fromMs = bounds.findLast((bound) => bound <= each.atMs)!;
    const names = !shown || shown.has(JSON.stringify(namesOf(each))) ? namesOf(each) : [];
    const place = JSON.stringify([fromMs, names]);
    if (!rows.has(place)) rows.set(place, { fromMs, names, of: [] });
    rows.get(place)!.of.push(each);
  }
  const inOrder = [...rows.values()].toSorted(
    (a, b) => a.fromMs - b.fromMs || b.names.length - a.names.length || compareNames(a.names, b.names),
  );
  return { rows: inOrder.map(({ fromMs, names, of }) => ({ fromMs, names, ...measure(of) })), total: measure(asked) };
}

function findLargest(asked: readonly EndedRequest[], { count, by }: LargestGroups, namesOf: (each: EndedRequest) => string[]): Set<string> {
  const groups = Map.groupBy(asked, (each) => JSON.stringify(namesOf(each)));
  const sizes = [...groups].map(([key, requests]) => {
    const { costNanos, promptTokens, completionTokens, failed } = measure(requests);
    const size = { cost: 0, requests: requests.length, tokens: promptTokens + completionTokens, failed }[by];
    return { key, names: JSON.parse(key) as string[], size, costNanos, uses: requests.length };
  });
  const inOrder = sizes.toSorted(
    (a, b) => b.size - a.size || Number(b.costNanos - a.costNanos) || b.uses - a.uses || compareNames(a.names, b.names),
  );
  return new Set(inOrder.slice(0, count).map(({ key }) => key));
}

/** If a UTC day has more names than the limit, the names that came last are beyond it. */
function namesInReports(
  all: readonly EndedRequest[],
  { dimension }: AttributedUsage,
  namesPerDay: (day: number) => number,
): Map<EndedRequest, string> {
  const days = new Map<string, Set<string>>();
  return new Map(
    all.map((each) => {
      const { accountId, atMs, attribution = {} } = each;
      if (nameIn(attribution, dimension) === undefined) return [each, NO_NAME];
      const day = Math.floor(atMs / 86_400_000);
      const names = days.get(`${accountId} ${day}`) ?? new Set();
      days.set(`${accountId} ${day}`, names);
      const name = nameIn(attribution, dimension)!;
      if (names.size < namesPerDay(day)) names.add(name);
      return [each, names.has(name) ? name : OTHER_NAMES];
    }),
  );
}

function compareNames(names: readonly string[], others: readonly string[]): number {
  const at = names.findIndex((name, index) => name !== others[index]);
  return at < 0 ? 0 : names[at]! < others[at]! ? -1 : 1;
}

function measure(requests: readonly EndedRequest[]): CostedMeasures {
  const costed = requests.filter(({ upstreamCostNanos }) => upstreamCostNanos !== undefined);
  const sum = (of: (request: EndedRequest) => number): number => requests.reduce((total, each) => total + of(each), 0);
  return {
    requests: sum(({ upstream }) => (upstream === "" ? 0 : 1)),
    failed: sum(({ upstream }) => (upstream === "" ? 1 : 0)),
    promptTokens: sum(({ usage }) => usage.promptTokens),
    cachedTokens: sum(({ usage }) => usage.cachedTokens),
    cacheWriteTokens: sum(({ usage }) => usage.cacheWriteTokens),
    completionTokens: sum(({ usage }) => usage.completionTokens),
    reasoningTokens: sum(({ usage }) => usage.reasoningTokens),
    costNanos: requests.reduce((total, { costNanos }) => total + costNanos, 0n),
    unchargedNanos: requests.reduce((total, { unchargedNanos }) => total + unchargedNanos, 0n),
    costedRequests: costed.length,
    upstreamCostNanos: costed.reduce((total, { upstreamCostNanos }) => total + upstreamCostNanos!, 0n),
    costedNanos: costed.reduce((total, { costNanos }) => total + costNanos, 0n),
  };
}

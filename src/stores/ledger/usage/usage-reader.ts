import type { Database as SqliteFile } from "bun:sqlite";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import { TopN } from "../../../lib/collections/top-n.ts";
import { NO_NAME } from "../../../money/attribution.ts";
import {
  isOfNone,
  type AttributedUsage,
  type UsagePosition,
  type UsageReport,
  type UsageReportQuery,
  type UsageRow,
} from "../ledger-record-store.ts";
import { ownerOf, ownersOf } from "./attributed-owner.ts";
import { addFigures, compareCosts, noFigures, subtractFigures, toMeasures, usesIn, type Figures } from "./figures.ts";
import { ReportGroups } from "./report-groups.ts";
import { ALL_ACCOUNTS } from "./rollup-rows.ts";
import type { RollupUpdater } from "./rollup-updater.ts";
import { EVERYBODY } from "./series.ts";
import { ATTRIBUTION, USAGE } from "./series-tables.ts";
import { UsageSums, type Scope, type Sums } from "./usage-sums.ts";

const GROUPS_AT_ONCE = 1000;

/** A candidate row. */
interface Candidate extends UsagePosition {
  readonly figures: Figures;
}

/** What a query adds up: all usage, that which is attributed to names, or both. Then the rest of all usage is of `none`. */
interface Scopes {
  readonly all: Scope | undefined;
  readonly named: Scope | undefined;
  /** Whether names have rows. */
  readonly showsNames: boolean;
  /** The place of the name among the names of a group, or -1. */
  readonly nameAt: number;
}

/** Sums, and the groups that they are of. */
interface GroupedSums {
  readonly groups: ReportGroups;
  readonly sums: Sums;
}

/** Reads a usage report from rollups that are up to date and do not change meanwhile. */
export class UsageReader {
  readonly #updater: RollupUpdater;
  readonly #query: UsageReportQuery;
  readonly #sums: UsageSums;

  constructor(file: SqliteFile, updater: RollupUpdater, query: UsageReportQuery, signal?: CancelSignal) {
    this.#updater = updater;
    this.#query = query;
    this.#sums = new UsageSums(file, updater, signal);
  }

  async report(): Promise<UsageReport> {
    const { bounds, after, accountId, limit = Infinity } = this.#query;
    // A query for the impossible account "" must not return the sums of everybody.
    if (accountId === EVERYBODY) return { rows: [], total: toMeasures(noFigures()) };
    const scopes = this.#scopesOf(this.#query);
    const first = after
      ? Math.max(
          0,
          bounds.findLastIndex((bound) => bound <= after.fromMs),
        )
      : 0;
    const rows: UsageRow[] = [];
    const seen = noFigures();
    let at = first;
    for (; at < bounds.length - 1 && rows.length < limit; at++) {
      const sums = await this.#sum(bounds[at]!, bounds[at + 1]!, scopes);
      rows.push(...(await this.#rowsOf(bounds[at]!, sums, limit - rows.length, seen)));
    }
    const isAll = first === 0 && at === bounds.length - 1;
    return { rows, total: toMeasures(isAll ? seen : await this.#total()) };
  }

  /** The first rows of a bucket after the position. Adds all rows of the bucket to `seen`, of which there may be very many. */
  async #rowsOf(fromMs: number, found: readonly GroupedSums[], limit: number, seen: Figures): Promise<UsageRow[]> {
    const { after, isCostliestFirst = false } = this.#query;
    const first = new TopN<Candidate>(limit, isCostliestFirst ? compareByCost : comparePositions);
    for (const { groups, sums } of found) {
      for (let begin = 0; begin < sums.length; begin += GROUPS_AT_ONCE) {
        sums.slice(begin, begin + GROUPS_AT_ONCE).forEach((figures, at) => {
          if (usesIn(figures) === 0) return;
          addFigures(seen, figures);
          const candidate = { fromMs, names: groups.namesOf(begin + at), figures };
          if (!after || comparePositions(candidate, after) > 0) first.add(candidate);
        });
        await this.#sums.breathe();
      }
    }
    return first.inOrder().map(({ names, figures }) => ({ fromMs, names, ...toMeasures(figures) }));
  }

  async #total(): Promise<Figures> {
    const { bounds } = this.#query;
    const found = await this.#sum(bounds[0]!, bounds.at(-1)!, this.#scopesOf({ ...this.#query, by: [] }));
    const total = noFigures();
    for (const { sums } of found) for (const figures of sums) addFigures(total, figures);
    return total;
  }

  async #sum(fromMs: number, toMs: number, { all, named, showsNames, nameAt }: Scopes): Promise<GroupedSums[]> {
    const [ofAll, ofNames] = [all && (await this.#add(fromMs, toMs, all)), named && (await this.#add(fromMs, toMs, named))];
    if (ofAll && ofNames) subtract(ofAll, ofNames, nameAt);
    return [...(ofAll ? [ofAll] : []), ...(ofNames && showsNames ? [ofNames] : [])];
  }

  async #add(fromMs: number, toMs: number, scope: Scope): Promise<GroupedSums> {
    return { groups: scope.groups, sums: await this.#sums.between(fromMs, toMs, scope) };
  }

  #scopesOf(query: UsageReportQuery): Scopes {
    const { attributed, by } = query;
    const nameAt = by.indexOf("attributed");
    if (!attributed || (!attributed.names && nameAt < 0)) {
      return { all: this.#scopeOfAll(query), named: undefined, showsNames: false, nameAt };
    }
    const named = this.#scopeOfNames(query, attributed);
    if (!attributed.names) return { all: this.#scopeOfAll(query), named, showsNames: true, nameAt };
    if (isOfNone(attributed)) return { all: this.#scopeOfAll(query), named, showsNames: false, nameAt };
    return { all: undefined, named, showsNames: true, nameAt };
  }

  #scopeOfAll(query: UsageReportQuery): Scope {
    const { accountId, keyId, by } = query;
    // Rows of `EVERYBODY` have models and upstreams, but neither keys nor accounts.
    const isOfEach = accountId === undefined && (keyId !== undefined || by.includes("key") || by.includes("account"));
    return {
      tables: USAGE,
      owners: isOfEach ? ALL_ACCOUNTS : { one: accountId ?? EVERYBODY },
      groups: new ReportGroups(query, this.#updater.series),
      accountId: accountId ?? EVERYBODY,
      namesOf: ({ accountId: owner, keyId: key, model, upstream }) => ({ owner, keyId: key, model, name: upstream }),
    };
  }

  #scopeOfNames(query: UsageReportQuery, wanted: AttributedUsage): Scope {
    const { accountId } = query;
    const { dimension, names } = wanted;
    const { attributed } = this.#updater;
    const isOfSome = accountId !== undefined && names && !isOfNone(wanted);
    return {
      tables: ATTRIBUTION,
      owners: ownersOf(dimension, accountId),
      parts: isOfSome ? attributed.book.partsWith(ownerOf(dimension, accountId), names) : undefined,
      groups: new ReportGroups(query, attributed.book),
      accountId: accountId ?? EVERYBODY,
      namesOf: (use) => attributed.namesOf(use, dimension),
    };
  }
}

/** Subtracts the usage with a name from the rows of `none`. */
function subtract(ofAll: GroupedSums, ofNames: GroupedSums, nameAt: number): void {
  ofNames.sums.forEach((figures, group) => {
    const names = ofNames.groups.namesOf(group);
    const none = ofAll.groups.withNames(nameAt < 0 ? names : names.with(nameAt, NO_NAME));
    subtractFigures(ofAll.sums[none]!, figures);
  });
}

function compareByCost(one: Candidate, other: Candidate): number {
  return compareCosts(one.figures, other.figures) || comparePositions(one, other);
}

function comparePositions(one: UsagePosition, other: UsagePosition): number {
  if (one.fromMs !== other.fromMs) return one.fromMs - other.fromMs;
  const at = one.names.findIndex((name, index) => name !== other.names[index]);
  return at < 0 ? 0 : one.names[at]! < other.names[at]! ? -1 : 1;
}

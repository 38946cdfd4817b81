import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import { isOfNone, type AttributedUsage, type UsageReport, type UsageReportQuery } from "../ledger-record-store.ts";
import { slicesOf } from "../records/ledger-rows.ts";
import type { AttributedSeries } from "./attributed-series.ts";
import { readCells } from "./cells.ts";
import type { Figures } from "./figures.ts";
import { GRANULARITY_MS, type Granularity } from "./granularity.ts";
import { SeriesGroups } from "./report-groups.ts";
import { ReportMaker, type BucketSums, type GroupedSums, type UsageSource } from "./report-maker.ts";
import type { RollupReader, RowFilter } from "./rollup-reader.ts";
import { extend, type Rollups } from "./rollups.ts";
import { ALL_ACCOUNTS, ATTRIBUTION, EVERYBODY, ownersOf, USAGE, type Extent, type SeriesNames } from "./series.ts";
import {
  divideBuckets,
  slotRangesOf,
  type BucketInterval,
  type QuarterPart,
  type SlotRange,
  type Target,
  type TimeSpan,
} from "./slot-ranges.ts";
import { Sums } from "./sums.ts";
import { TimeSlicer } from "../../../lib/async/time-slicer.ts";
import type { UsageEvent } from "./usage-event.ts";

const ENTRIES_AT_ONCE = 1000;
const NEVER: TimeSpan = { fromMs: 0, toMs: 0 };

/** Usage as of one moment: the rows of the rollups in the database, and rows in memory of entries that are not in them yet. */
export interface UsageState {
  readonly reader: RollupReader;
  readonly pending: Rollups;
  readonly attributed: AttributedSeries;
}

/** The rows of a report, and the groups into which they are summed. */
interface Scope extends RowFilter {
  readonly groups: SeriesGroups;
  readonly accountId: string | undefined;
  /** The series of these rows to which usage was added, if any. */
  readonly namesOf: (use: UsageEvent) => SeriesNames | undefined;
}

/** Reads a usage report. */
export class UsageReader implements UsageSource {
  readonly #state: UsageState;
  readonly #query: UsageReportQuery;
  readonly #slicer: TimeSlicer;
  /** Slots with pending rows. They are few, so most slots of a report need no lookup in memory. */
  readonly #pendingSlots: Readonly<Record<Granularity, readonly number[]>>;
  #used: Promise<TimeSpan> | undefined;

  constructor(state: UsageState, query: UsageReportQuery, signal?: CancelSignal) {
    this.#state = state;
    this.#query = query;
    this.#slicer = new TimeSlicer(signal);
    const slotsOf = (granularity: Granularity): number[] => [...new Set(state.pending.pendingSlots(granularity))];
    this.#pendingSlots = {
      quarter: slotsOf("quarter"),
      hour: slotsOf("hour"),
      day: slotsOf("day"),
      five_days: slotsOf("five_days"),
      month: slotsOf("month"),
    };
  }

  report(): Promise<UsageReport> {
    return new ReportMaker(this, this.#query).report();
  }

  ofAll(query: UsageReportQuery): BucketSums {
    const { accountId, keyId, by } = query;
    // Rows of `EVERYBODY` have models and upstreams, but neither keys nor accounts.
    const isOfEach = accountId === undefined && (keyId !== undefined || by.includes("key") || by.includes("account"));
    return this.#sumsOf(query, {
      tables: USAGE,
      owners: isOfEach ? ALL_ACCOUNTS : { one: accountId ?? EVERYBODY },
      groups: new SeriesGroups(query, USAGE, this.#state.reader),
      accountId,
      namesOf: ({ accountId: owner, keyId: key, model, upstream }) => ({ owner, keyId: key, model, name: upstream }),
    });
  }

  ofNames(query: UsageReportQuery, wanted: AttributedUsage): BucketSums {
    const { accountId } = query;
    const { dimension, names } = wanted;
    const { reader, attributed } = this.#state;
    const owners = ownersOf(dimension, accountId);
    const ofSome = "one" in owners && names && !isOfNone(wanted) ? { owner: owners.one, names } : undefined;
    return this.#sumsOf(
      query,
      {
        tables: ATTRIBUTION,
        owners,
        groups: new SeriesGroups(query, ATTRIBUTION, reader),
        accountId,
        namesOf: (use) => attributed.namesOf(use, dimension),
      },
      ofSome,
    );
  }

  yieldIfDue(): Promise<void> {
    return this.#slicer.yieldIfDue();
  }

  /** `ofSome`: only the parts with these names are read. */
  #sumsOf({ bounds }: UsageReportQuery, scope: Scope, ofSome?: { owner: string; names: readonly string[] }): BucketSums {
    const { reader } = this.#state;
    let parts: readonly number[] | undefined;
    return new BucketsAhead(scope.groups, bounds, reader.bucketsAtOnce, async (some) => {
      if (ofSome) parts ??= await reader.partsWith(ofSome.owner, ofSome.names);
      return this.#read(some, { ...scope, parts });
    });
  }

  /** The sums of the buckets between these bounds. Partial quarter hours are read from the entries. */
  async #read(bounds: readonly number[], scope: Scope): Promise<SumsByBucket> {
    const sums: SumsByBucket = new Map(bounds.slice(0, -1).map((bucketMs): [number, Sums] => [bucketMs, new Sums()]));
    const { intervals, parts } = divideBuckets(bounds, await (this.#used ??= this.#usedTime()), scope.tables.granularities);
    const { inRollups, inEntries } = await this.#splitByRollupCoverage(parts, scope.accountId ?? EVERYBODY);
    await this.#addRanges(slotRangesOf([...intervals, ...inRollups]), scope, sums);
    for (const [part, extent] of inEntries) await this.#addEntries(part, extent, scope, sums.get(part.bucketMs)!);
    return sums;
  }

  async #addRanges(ranges: readonly SlotRange[], scope: Scope, sums: SumsByBucket): Promise<void> {
    const { reader, pending } = this.#state;
    const { groups } = scope;
    for await (const page of reader.rowsIn(scope, ranges, this.#slicer)) {
      await groups.load(page, this.#slicer);
      for (const { range, ...row } of page) {
        const targets = targetsOf(range, sums);
        readCells(row, (series, figures) => addTo(targets, groups.ofNumber(series), figures));
        if (this.#slicer.isDue) await this.#slicer.yield();
      }
    }
    for (const range of ranges) {
      for (const slot of this.#pendingSlots[range.granularity]) {
        if (slot < range.firstSlot || slot >= range.endSlot) continue;
        for (const row of pending.pending(range.granularity, slot, scope.tables, scope.owners)) {
          const targets = targetsOf(range, sums);
          for (const [series, figures] of row.cells) addTo(targets, groups.of(series), figures);
          if (this.#slicer.isDue) await this.#slicer.yield();
        }
      }
    }
  }

  /** Partial quarter hours are read from the rollups if the rest of the quarter hour is empty, otherwise from the entries. */
  async #splitByRollupCoverage(
    parts: readonly QuarterPart[],
    accountId: string,
  ): Promise<{ inRollups: readonly BucketInterval[]; inEntries: readonly [QuarterPart, Extent][] }> {
    const inRollups: BucketInterval[] = [];
    const inEntries: [QuarterPart, Extent][] = [];
    if (parts.length === 0) return { inRollups, inEntries };
    const slots = [...new Set(parts.map(({ slot }) => slot))];
    const extents = new Map(await this.#state.reader.extentsOf(accountId, slots));
    for (const slot of slots) {
      for (const row of this.#state.pending.pending("quarter", slot, USAGE, { one: accountId })) {
        const extent = extents.get(slot);
        if (extent) extend(extent, row);
        else extents.set(slot, { ...row });
      }
    }
    for (const part of parts) {
      const { bucketMs, slot, fromMs, toMs } = part;
      const extent = extents.get(slot);
      if (!extent) continue;
      if (extent.firstMs < fromMs || extent.lastMs >= toMs) inEntries.push([part, extent]);
      else inRollups.push({ bucketMs, granularity: "quarter", firstSlot: slot, endSlot: slot + 1, isSubtracted: false });
    }
    return { inRollups, inEntries };
  }

  async #addEntries(span: TimeSpan, extent: Extent, { groups, accountId, namesOf }: Scope, sums: Sums): Promise<void> {
    const { reader } = this.#state;
    for (const slice of slicesOf(await reader.idsIn(extent, span), ENTRIES_AT_ONCE * reader.bucketsAtOnce)) {
      for (const use of await reader.eventsIn(slice, accountId)) {
        const names = use.atMs >= span.fromMs && use.atMs < span.toMs ? namesOf(use) : undefined;
        if (names) sums.add(groups.of(names), use.figures);
      }
      await this.#slicer.yield();
    }
  }

  /** The time from the first quarter hour with usage to the last. */
  async #usedTime(): Promise<TimeSpan> {
    const slots = [...(await this.#state.reader.quartersWithRows()), ...this.#pendingSlots.quarter];
    if (slots.length === 0) return NEVER;
    // Not `Math.min(...slots)`: there may be too many slots for the arguments of one call.
    const [first, last] = [slots.reduce((one, other) => Math.min(one, other)), slots.reduce((one, other) => Math.max(one, other))];
    return { fromMs: first * GRANULARITY_MS.quarter, toMs: (last + 1) * GRANULARITY_MS.quarter };
  }
}

/** The sums of some buckets, by the start of the bucket. */
type SumsByBucket = Map<number, Sums>;

/** Reads the buckets of a query in batches, doubling the batch size each time: a page may need few buckets or all of them. */
class BucketsAhead implements BucketSums {
  readonly #groups: SeriesGroups;
  readonly #bounds: readonly number[];
  /** Limits the memory of a report with thousands of groups in each bucket. */
  readonly #maxAtOnce: number;
  readonly #read: (bounds: readonly number[]) => Promise<SumsByBucket>;
  #sums: SumsByBucket = new Map();
  #untilMs = -Infinity;
  #atOnce = 1;

  constructor(
    groups: SeriesGroups,
    bounds: readonly number[],
    maxAtOnce: number,
    read: (bounds: readonly number[]) => Promise<SumsByBucket>,
  ) {
    this.#groups = groups;
    this.#bounds = bounds;
    this.#maxAtOnce = maxAtOnce;
    this.#read = read;
  }

  async between(fromMs: number): Promise<GroupedSums> {
    if (fromMs >= this.#untilMs) {
      const at = this.#bounds.indexOf(fromMs);
      const bounds = this.#bounds.slice(at, at + this.#atOnce + 1);
      this.#sums = await this.#read(bounds);
      this.#untilMs = bounds.at(-1)!;
      this.#atOnce = Math.min(this.#maxAtOnce, 2 * this.#atOnce);
    }
    return { groups: this.#groups, sums: this.#sums.get(fromMs) ?? new Sums() };
  }
}

interface SumTarget extends Pick<Target, "isSubtracted"> {
  readonly sums: Sums;
}

function targetsOf({ targets }: SlotRange, sums: SumsByBucket): SumTarget[] {
  return targets.map(({ bucketMs, isSubtracted }) => ({ sums: sums.get(bucketMs)!, isSubtracted }));
}

function addTo(targets: readonly SumTarget[], group: number, figures: Figures): void {
  for (let at = 0; at < targets.length; at++) {
    const { sums, isSubtracted } = targets[at]!;
    if (isSubtracted) sums.subtract(group, figures);
    else sums.add(group, figures);
  }
}

import type { KeyRecord } from "../../access/api-key.ts";
import { NO_NAME, tagDimension } from "../../money/attribution.ts";
import { NO_USAGE, type LedgerRecordStore, type UsageMeasures, type UsageRow } from "../../stores/ledger/ledger-record-store.ts";
import type { Spending } from "../../money/tally.ts";
import type { LoggedRequest } from "../../requests/logged-request.ts";
import type { Balance } from "../../stores/ledger/ledger-store.ts";
import type { RequestLogStore } from "../../stores/request-log/request-log-store.ts";
import type { ConnectedProcess, IpcPeer, OwnerService, ProcessService } from "../../lib/ipc/ipc-service.ts";
import { fromTaggedJson, toTaggedJson } from "../../lib/ipc/tagged-json.ts";
import { ApiError } from "../../requests/api-error.ts";
import { MAX_TAGS } from "../../money/tag-names.ts";

interface ModelUsage extends PeriodUsage {
  readonly model: string;
}

/** The figures of a key from the ledger and the request log. */
export interface KeyFigures {
  /** The balance of the key's account. */
  readonly balance: Balance;
  readonly spending: Readonly<Record<"key" | "account", Spending>>;
  readonly total: PeriodUsage;
  /** The models with usage in this month, by name. */
  readonly byModel: readonly ModelUsage[];
  /** The most expensive values of the tags that the key has used this month: by tag, then by cost, highest first. */
  readonly byTag: readonly TagUsage[];
  /** Its last requests, newest first. */
  readonly recent: readonly LoggedRequest[];
}

/** Reads the records of a key, for its holder: never the records of another key. */
export interface KeyRecords {
  /**
   * The figures of a key, with at most `recentCount` of its last requests. Includes what this process has charged before the call; balances
   * and charges of other processes may be a second old. Throws `overloaded` if the records cannot be read.
   */
  read(key: KeyOfAccount, recentCount: number, nowMs: number): Promise<KeyFigures>;
}

interface RecordStores {
  readonly ledgerRecords: Pick<LedgerRecordStore, "balanceOf" | "spendingOf" | "usage" | "tagsOf">;
  readonly requestLog: Pick<RequestLogStore, "list">;
}

/** Reads the records in this process. */
export function localKeyRecords({ ledgerRecords, requestLog }: RecordStores): KeyRecords {
  return {
    async read({ id, accountId }, recentCount, nowMs) {
      const { dayMs, bounds } = periodsOf(nowMs);
      const { rows } = await ledgerRecords.usage({ bounds, by: ["model"], accountId, keyId: id });
      const byTag = await readTagUsage({ id, accountId }, { monthMs: bounds[0]!, dayMs, endMs: bounds.at(-1)! }, ledgerRecords);
      const recent = recentCount > 0 ? await requestLog.list({ keyId: id }, undefined, "older", recentCount) : [];
      const { creditNanos, heldNanos } = ledgerRecords.balanceOf(accountId);
      return {
        balance: { creditNanos, heldNanos },
        spending: {
          key: ledgerRecords.spendingOf("key", id, nowMs),
          account: ledgerRecords.spendingOf("account", accountId, nowMs),
        },
        total: sumOf(rows, dayMs),
        byModel: byModel(rows, dayMs),
        byTag,
        recent: recent.map(({ request }) => request),
      };
    },
  };
}

/** The start of the day, and the bounds of all days from the start of the month to the end of this day. */
function periodsOf(nowMs: number): { readonly dayMs: number; readonly bounds: readonly number[] } {
  const now = new Date(nowMs);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const dayMs = Date.UTC(year, month, day);
  const tomorrowMs = Date.UTC(year, month, day + 1);
  return { dayMs, bounds: day === 1 ? [dayMs, tomorrowMs] : [Date.UTC(year, month, 1), dayMs, tomorrowMs] };
}

function byModel(rows: readonly UsageRow[], dayMs: number): ModelUsage[] {
  const groups = Map.groupBy(rows, ({ names }) => names[0]!);
  return [...groups]
    .map(([model, ofModel]) => ({ model, ...sumOf(ofModel, dayMs) }))
    .toSorted((one, other) => (one.model < other.model ? -1 : 1));
}

function sumOf(rows: readonly UsageRow[], dayMs: number): PeriodUsage {
  return { today: sum(rows.filter(({ fromMs }) => fromMs >= dayMs)), thisMonth: sum(rows) };
}

function sum(rows: readonly UsageMeasures[]): UsageMeasures {
  return rows.reduce(
    (sums, row) => ({
      requests: sums.requests + row.requests,
      failed: sums.failed + row.failed,
      promptTokens: sums.promptTokens + row.promptTokens,
      cachedTokens: sums.cachedTokens + row.cachedTokens,
      cacheWriteTokens: sums.cacheWriteTokens + row.cacheWriteTokens,
      completionTokens: sums.completionTokens + row.completionTokens,
      reasoningTokens: sums.reasoningTokens + row.reasoningTokens,
      costNanos: sums.costNanos + row.costNanos,
      unchargedNanos: sums.unchargedNanos + row.unchargedNanos,
    }),
    NO_USAGE,
  );
}

const NAME = "key_records";

type ReadMessage = readonly [key: KeyOfAccount, recentCount: number, nowMs: number];

/** The owner's side of the service: reads the records for its gateway processes, which have no database. */
export function keyRecordsOwner(records: KeyRecords): OwnerService {
  return {
    name: NAME,
    calls: { read: async (_: ConnectedProcess, body: unknown) => toTaggedJson(await records.read(...(body as ReadMessage))) },
  };
}

/** A gateway process's side of the service. */
export class RemoteKeyRecords implements KeyRecords, ProcessService {
  readonly name = NAME;
  readonly #owner: IpcPeer;
  readonly #catchUp: () => Promise<void>;

  /** `catchUp` sends the charges of this process to the owner. */
  constructor(owner: IpcPeer, catchUp: () => Promise<void>) {
    this.#owner = owner;
    this.#catchUp = catchUp;
  }

  async read({ id, accountId }: KeyOfAccount, recentCount: number, nowMs: number): Promise<KeyFigures> {
    const message: ReadMessage = [{ id, accountId }, recentCount, nowMs];
    await this.#catchUp();
    try {
      return fromTaggedJson(await this.#owner.call(`${NAME}.read`, message)) as KeyFigures;
    } catch (error) {
      throw usageUnavailable((error as Error).message);
    }
  }
}

function usageUnavailable(detail: string): ApiError {
  return new ApiError("overloaded", "The usage of this key cannot be read at the moment. Please try again in 1s.", {
    retryAfterSeconds: 1,
    detail,
  });
}

type KeyOfAccount = Pick<KeyRecord, "id" | "accountId">;

/** The usage of a key in the calendar day and month of a moment (UTC). */
export interface PeriodUsage {
  readonly today: UsageMeasures;
  readonly thisMonth: UsageMeasures;
}

/** The usage with a value of a tag. */
interface TagUsage extends PeriodUsage {
  readonly tag: string;
  /** `none` for requests without the tag. */
  readonly value: string;
}

/** The most values of a tag in a view. Clients choose the values, so a tag may have very many. */
export const MAX_VALUES = 10;

/** The starts of the month and of the day, and the end of both. */
interface Periods {
  readonly monthMs: number;
  readonly dayMs: number;
  readonly endMs: number;
}

type Reports = Pick<LedgerRecordStore, "usage" | "tagsOf">;

/** The usage of a key by tag: the first tags by name that it has used this month, and their most expensive values. */
export async function readTagUsage(key: KeyOfAccount, periods: Periods, records: Reports): Promise<TagUsage[]> {
  const found: TagUsage[][] = [];
  for (const tag of await records.tagsOf(key.accountId, periods.monthMs)) {
    // As many as a request may have. An account may have more than 100 tags, and each takes a separate report.
    if (found.length === MAX_TAGS) break;
    const values = await readValues(key, tag, periods, records);
    if (values.length > 0) found.push(values);
  }
  return found.flat();
}

/** Reads the values of a tag; an empty list if the key has not used the tag. */
async function readValues(key: KeyOfAccount, tag: string, { monthMs, dayMs, endMs }: Periods, records: Reports): Promise<TagUsage[]> {
  const read = async (fromMs: number, limit?: number): Promise<readonly UsageRow[]> => {
    const query = { by: ["attributed"], attributed: { dimension: tagDimension(tag) }, accountId: key.accountId, keyId: key.id } as const;
    return (await records.usage({ ...query, bounds: [fromMs, endMs], limit, isCostliestFirst: true })).rows;
  };
  const ofMonth = await read(monthMs, MAX_VALUES);
  if (ofMonth.every(({ names }) => names[0] === NO_NAME)) return [];
  const ofDay = new Map((await read(dayMs)).map((row) => [row.names[0], row]));
  return ofMonth.map((row) => ({ tag, value: row.names[0]!, today: ofDay.get(row.names[0]) ?? NO_USAGE, thisMonth: row }));
}

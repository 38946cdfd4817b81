import type { KeyRecord } from "../../access/api-key.ts";
import { NO_NAME, tagDimension } from "../../money/attribution.ts";
import { NO_USAGE, type LedgerRecordStore, type UsageMeasures, type UsageRow } from "../../stores/ledger/ledger-record-store.ts";

export type KeyOfAccount = Pick<KeyRecord, "id" | "accountId">;

/** The usage of a key in the calendar day and month of a moment (UTC). */
export interface PeriodUsage {
  readonly today: UsageMeasures;
  readonly thisMonth: UsageMeasures;
}

/** The usage with a value of a tag. */
export interface TagUsage extends PeriodUsage {
  readonly tag: string;
  /** `none` for requests without the tag. */
  readonly value: string;
}

/** As many as a request may have. An account may have 100 and more, each of which is a report to read. */
export const MAX_TAGS = 8;
/** Clients choose the values: a tag may have very many. */
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
    if (found.length === MAX_TAGS) break;
    const values = await readValues(key, tag, periods, records);
    if (values.length > 0) found.push(values);
  }
  return found.flat();
}

/** None where the key has not used the tag. */
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

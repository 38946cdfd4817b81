import { NO_NAME, tagOf } from "../../money/attribution.ts";
import { Conditions, type DayTables, type LogDialect } from "./log-dialect.ts";
import { bitsOfNames } from "./name-filter.ts";
import { FIELD_NAMES, FIELDS } from "./request-rows.ts";
import type { Amount, AmountOrder, AttributedFilter, RequestFilter } from "./request-log-store.ts";

/** The filter of requests within a day. */
export interface DayFilter extends RequestFilter {
  /** The UUIDs of requests with a matching result whose mirror ended on another day. Present only in a filter by mirrors. */
  readonly mirroredElsewhere?: readonly string[] | undefined;
}

export type MirrorFilter = NonNullable<RequestFilter["mirror"]>;

/** The filter of one field: a value, several values, or a range. */
type FieldFilter = NonNullable<RequestFilter[keyof typeof FIELDS]>;

/** Adds the conditions on chunks that may have matching requests. */
export function addChunkConditions(where: Conditions, filter: DayFilter, dialect: LogDialect, tables: DayTables): void {
  const { fromMs, toMs, mirror } = filter;
  if (fromMs !== undefined) where.add(`to_ms >= ${where.bind("number", fromMs)}`);
  if (toMs !== undefined) where.add(`from_ms < ${where.bind("number", toMs)}`);
  for (const field of FIELD_NAMES) {
    const accepted = filter[field];
    if (accepted === undefined) continue;
    const values = where.bind("anyFound", valuesOf(accepted));
    where.add(`chunk in (select chunk from ${tables.found} where field = '${field}' and value ${values})`);
  }
  const lacks = dialect.listsNames ? chunkLacksNames("chunks.chunk", filter, dialect, tables) : undefined;
  if (lacks !== undefined) where.add(`not ${lacks}`);
  if (mirror) {
    const ids = [matchingIds(mirror, dialect, tables), `select id from (${elsewhere(where, filter)}) as listed where true`];
    const isAmong = ids.map((each) => `(select true from (${each} and id between first_id and last_id limit 1) as found)`);
    where.add(`(${isAmong.join(" or ")})`);
  }
}

/** Adds the conditions on matching requests. */
export function addRequestConditions(where: Conditions, filter: DayFilter, dialect: LogDialect, tables: DayTables): void {
  const { fromMs, toMs, attributed = [], amounts = {}, errorText, mirror } = filter;
  if (fromMs !== undefined) where.add(`ended_at_ms >= ${where.bind("number", fromMs)}`);
  if (toMs !== undefined) where.add(`ended_at_ms < ${where.bind("number", toMs)}`);
  for (const field of FIELD_NAMES) {
    const accepted = filter[field];
    if (accepted !== undefined) where.add(fieldCondition(FIELDS[field], accepted, where));
  }
  for (const each of attributed) where.add(attributedCondition(each, dialect, where));
  for (const amount of Object.keys(amounts) as Amount[]) {
    const { least, most } = amounts[amount]!;
    const column = amountIn(dialect, amount);
    const stored = (value: number | bigint): string =>
      where.bind("amount", amount === "duration" ? Math.round(Number(value) * 1000) : value);
    if (least !== undefined) where.add(`${column} >= ${stored(least)}`);
    if (most !== undefined) where.add(`${column} <= ${stored(most)}`);
  }
  if (errorText !== undefined) where.add(dialect.detailsWith(errorText, (pattern) => where.bind("text", pattern)));
  if (mirror) {
    // Only the results between the first and the last id of the chunk are read.
    const bound = (column: string): string =>
      `(select ${column} from ${tables.chunks} as spans where spans.chunk = ${dialect.listedChunk})`;
    const here = `${matchingIds(mirror, dialect, tables)} and id between ${bound("first_id")} and ${bound("last_id")}`;
    where.add(`id in (${here} union all ${elsewhere(where, filter)})`);
  }
}

/** A condition: whether a chunk has no requests with the names of a filter, by its Bloom filter. Undefined if any chunk may have them. */
export function chunkLacksNames(
  chunk: string,
  { attributed = [] }: RequestFilter,
  dialect: LogDialect,
  tables: DayTables,
): string | undefined {
  const conditions = attributed.flatMap(({ dimension, names }) => {
    const bits = bitsOfNames({ dimension, names: names.map((name) => String(dialect.toParameter("text", name))) });
    const mayHave = bits?.map((ofName) => `(${ofName.map((bit) => dialect.hasBit(bit)).join(" and ")})`);
    return mayHave ? `(${mayHave.join(" or ")})` : [];
  });
  if (conditions.length === 0) return undefined;
  return `exists (select 1 from ${tables.names} as names where names.chunk = ${chunk} and bits is not null and not (${conditions.join(" and ")}))`;
}

/** The ids of the mirrors with matching results. */
export function matchingIds(mirror: MirrorFilter, { isDifferent }: LogDialect, { mirrors }: DayTables): string {
  return `select id from ${mirrors} where ${mirror === "different" ? isDifferent : "true"}`;
}

/** The amount by which requests are sorted. Requests without the amount get a value that sorts last. */
export function sortedAmount(dialect: LogDialect, { by, direction }: AmountOrder): string {
  return `coalesce(${amountIn(dialect, by)}, ${direction === "highest" ? -1 : Number.MAX_SAFE_INTEGER})`;
}

function elsewhere(where: Conditions, { mirroredElsewhere = [] }: DayFilter): string {
  return where.bind("ids", mirroredElsewhere);
}

function fieldCondition(column: string, accepted: FieldFilter, where: Conditions): string {
  const bind = (value: string | number): string => where.bind(typeof value === "number" ? "number" : "text", value);
  if (typeof accepted !== "object") return `${column} = ${bind(accepted)}`;
  if ("least" in accepted) return `${column} between ${bind(accepted.least)} and ${bind(accepted.most)}`;
  return accepted.length > 0 ? `${column} in (${accepted.map(bind).join(", ")})` : "false";
}

/** All values that a filter of a field accepts. */
function valuesOf(accepted: FieldFilter): readonly (string | number)[] {
  if (typeof accepted !== "object") return [accepted];
  if (!("least" in accepted)) return accepted;
  const { least, most } = accepted;
  return Array.from({ length: Math.max(0, most - least + 1) }, (_, at) => least + at);
}

/** A filter by end user, conversation or tag. */
function attributedCondition({ dimension, names }: AttributedFilter, dialect: LogDialect, where: Conditions): string {
  const [tag, json] = [tagOf(dimension), dialect.jsonOf("attribution")];
  const name = tag === undefined ? `${json} ->> '${dimension}'` : `${json} -> 'tags' ->> ${where.bind("text", tag)}`;
  if (names.includes(NO_NAME)) return `${name} is null`;
  return `${name} in (${names.map((each) => where.bind("text", each)).join(", ")})`;
}

function amountIn({ attemptCount }: LogDialect, amount: Amount): string {
  switch (amount) {
    case "cost":
      return "cost_nanos";
    case "duration":
      return "duration_us";
    case "tokens":
      return "(prompt_tokens + completion_tokens)";
    case "attempts":
      return `(case when attempts is not null then ${attemptCount} when upstream_model is not null then 1 else 0 end)`;
  }
}

import type { RequestFilter } from "../request-log-store.ts";

/** The filter of requests within a day. */
export interface DayFilter extends RequestFilter {
  /** The UUIDs of requests with a matching result whose mirror ended on another day. Present only in a filter by mirrors. */
  readonly mirroredElsewhere?: readonly string[] | undefined;
}

export type MirrorFilter = NonNullable<RequestFilter["mirror"]>;

/** The differences between the databases. */
interface MirrorDialect {
  /** A condition: whether the statuses or finish reasons in `result` differ. */
  readonly different: string;
  /** The ids in a parameter that lists UUIDs. */
  idsIn(parameter: string): string;
}

export const SQLITE_MIRRORS: MirrorDialect = {
  different: `((result ->> '$.response.status') is not (result ->> '$.mirror.status')
    or (result ->> '$.response.finishReason') is not (result ->> '$.mirror.finishReason'))`,
  idsIn: (parameter) => `select unhex(value, '-') as id from json_each(${parameter})`,
};

export const POSTGRES_MIRRORS: MirrorDialect = {
  different: `((result::jsonb #> '{response,status}') is distinct from (result::jsonb #> '{mirror,status}')
    or (result::jsonb #> '{response,finishReason}') is distinct from (result::jsonb #> '{mirror,finishReason}'))`,
  idsIn: (parameter) => `select id from unnest(${parameter}::text[]::uuid[]) as id`,
};

interface MirrorTables {
  readonly chunks: string;
  readonly mirrors: string;
}

/** The ids in `mirrors` with matching results. */
export function matchingIds(mirror: MirrorFilter, { mirrors }: Pick<MirrorTables, "mirrors">, { different }: MirrorDialect): string {
  return `select id from ${mirrors} where ${mirror === "different" ? different : "true"}`;
}

/** A condition: whether a chunk may have matching requests, by its first and last id. */
export function mirroredChunk(mirror: MirrorFilter, elsewhere: string, tables: MirrorTables, dialect: MirrorDialect): string {
  const [here, there] = [matchingIds(mirror, tables, dialect), `select id from (${dialect.idsIn(elsewhere)}) as listed where true`];
  return `(${[here, there].map((ids) => `(select true from (${ids} and id between first_id and last_id limit 1) as found)`).join(" or ")})`;
}

/** A condition: whether a request of a chunk matches. Only the results between the first and the last id of the chunk are read. */
export function mirroredRequest(
  mirror: MirrorFilter,
  { elsewhere, chunk }: { elsewhere: string; chunk: string },
  tables: MirrorTables,
  dialect: MirrorDialect,
): string {
  const bound = (column: string): string => `(select ${column} from ${tables.chunks} as spans where spans.chunk = ${chunk})`;
  const here = `${matchingIds(mirror, tables, dialect)} and id between ${bound("first_id")} and ${bound("last_id")}`;
  return `id in (${here} union all ${dialect.idsIn(elsewhere)})`;
}

import { CHUNK_ROWS, COLUMN_NAMES, columnTypeOf, type RequestRow } from "./request-rows.ts";

/** The kinds of tables of a day, in the order in which every statement locks them. */
export const TABLE_KINDS = ["requests", "chunks", "found", "names", "bodies", "sums", "mirrors"] as const;

/** The names of the tables of a day. */
export type DayTables = Readonly<Record<(typeof TABLE_KINDS)[number], string>>;

/**
 * The types of parameters. An `amount` may exceed the exact range of a JavaScript number. `anyRow` and `anyFound` are comparisons with a
 * list, and `ids` is a query for the `id`s of a list of UUIDs.
 */
export type ParameterType = "text" | "number" | "row" | "amount" | "found" | "uuid" | "anyRow" | "anyFound" | "ids";

/** What differs between the SQL of the two databases. */
export interface LogDialect {
  tablesOf(day: string): DayTables;
  /** The SQL of each type of parameter, for the parameter with a number. */
  readonly parameters: Readonly<Record<ParameterType, (at: number) => string>>;
  /** A value as a parameter. */
  toParameter(type: ParameterType, value: unknown): unknown;
  /** The chunks of `rowsOf` as a parameter. */
  toChunks(chunks: readonly number[]): unknown;
  /** Whether limits are parameters. SQLite compiles a statement again if the limit is a parameter and another one changes. */
  readonly bindsLimits: boolean;
  /** An expression for an integer as a JavaScript number. */
  numberOf(integer: string): string;
  /** The id as 32 hexadecimal digits. */
  readonly hexId: string;
  /** The columns of `requests`, in the form of `RequestRow`. */
  readonly columns: string;
  /** A column of texts as JSON. */
  jsonOf(column: string): string;
  /** The number of elements of `attempts`, which is JSON. */
  readonly attemptCount: string;
  /** A condition: whether a detail of the request or of an attempt contains a text. */
  detailsWith(text: string, bind: (pattern: string) => string): string;
  /** A condition: whether the statuses or finish reasons in `result`, which is JSON, differ. */
  readonly isDifferent: string;
  /** A condition: whether a bit of `bits` is set. */
  hasBit(bit: number): string;
  /**
   * Whether a list of chunks excludes the chunks that lack a name. Otherwise reads of chunks do that: the Bloom filters of all chunks would
   * block the event loop for too long.
   */
  readonly listsNames: boolean;
  /** The rows of chunks that meet a condition, as what follows `from`. The chunks are the first parameter. No rows of a chunk that `isExcluded`. */
  rowsOf(tables: DayTables, condition: string, isExcluded: string | undefined): string;
  /** The chunk of a row, in the conditions of `rowsOf`. */
  readonly listedChunk: string;
}

const plain = (at: number): string => `?${at}`;
const listed = (at: number): string => `in (select value from json_each(?${at}))`;
const SQLITE_TABLES = Object.fromEntries(TABLE_KINDS.map((kind) => [kind, kind])) as DayTables;
const SQLITE_COLUMNS: Partial<Record<keyof RequestRow, string>> = {
  id: "lower(hex(id)) as id",
  cost_nanos: "cast(cost_nanos as text) as cost_nanos",
};

/** A file for each day. One chunk is read in a turn of the event loop. */
export const SQLITE: LogDialect = {
  tablesOf: () => SQLITE_TABLES,
  parameters: {
    text: plain,
    number: plain,
    row: plain,
    amount: plain,
    found: plain,
    uuid: (at) => `unhex(?${at}, '-')`,
    anyRow: listed,
    anyFound: listed,
    ids: (at) => `select unhex(value, '-') as id from json_each(?${at})`,
  },
  toParameter: (_, value) => (Array.isArray(value) ? JSON.stringify(value) : value),
  toChunks: ([chunk]) => chunk,
  bindsLimits: false,
  numberOf: (integer) => integer,
  hexId: "lower(hex(id))",
  columns: COLUMN_NAMES.map((name) => SQLITE_COLUMNS[name] ?? name).join(", "),
  jsonOf: (column) => column,
  attemptCount: "json_array_length(attempts)",
  detailsWith: (text, bind) =>
    `exists (select 1 from (select detail as text union all select value ->> 'detail' from json_each(attempts))
      where text like ${bind(containing(text))} escape '\\')`,
  isDifferent: `((result ->> '$.response.status') is not (result ->> '$.mirror.status')
    or (result ->> '$.response.finishReason') is not (result ->> '$.mirror.finishReason'))`,
  hasBit(bit) {
    // There are no functions for the bits of a blob: compares the hexadecimal digit with the bit.
    const digits = Array.from("0123456789ABCDEF").filter((_, value) => (value & (1 << (bit & 3))) !== 0);
    const digit = `[${digits.join("")}]`;
    return `hex(substr(bits, ${(bit >> 3) + 1}, 1)) glob '${(bit & 4) === 0 ? `?${digit}` : `${digit}?`}'`;
  },
  listsNames: false,
  rowsOf({ requests }, condition, isExcluded) {
    const end = `(?1 + 1) * ${CHUNK_ROWS}`;
    // An expression without columns is evaluated once, before any row is read.
    const before = isExcluded === undefined ? end : `case when ${isExcluded} then 0 else ${end} end`;
    return `${requests} as rows where row >= ?1 * ${CHUNK_ROWS} and row < ${before} and ${condition}`;
  },
  listedChunk: "?1",
};

const DAY = /^\d{4}-\d\d-\d\d$/;
const POSTGRES_COLUMNS: Partial<Record<keyof RequestRow, string>> = {
  id: "replace(id::text, '-', '') as id",
  cost_nanos: "cost_nanos::text as cost_nanos",
};

/** Tables for each day, such as `request_log_2027_01_31_requests`. */
export const POSTGRES: LogDialect = {
  tablesOf(day) {
    if (!DAY.test(day)) throw new RangeError(`${day} is not a day`);
    const nameOf = (kind: string): string => `request_log_${day.replaceAll("-", "_")}_${kind}`;
    return Object.fromEntries(TABLE_KINDS.map((kind) => [kind, nameOf(kind)])) as DayTables;
  },
  parameters: {
    text: (at) => `$${at}::text`,
    number: (at) => `$${at}::float8`,
    row: (at) => `$${at}::bigint`,
    amount: (at) => `$${at}::text::numeric`,
    found: (at) => `$${at}::text`,
    uuid: (at) => `$${at}::uuid`,
    anyRow: (at) => `= any($${at}::bigint[])`,
    anyFound: (at) => `= any($${at}::text[])`,
    ids: (at) => `select id from unnest($${at}::text[]::uuid[]) as id`,
  },
  toParameter(type, value) {
    if (type === "anyFound") return (value as readonly unknown[]).map((each) => storable(String(each)));
    return type === "text" || type === "found" || type === "amount" ? storable(String(value)) : value;
  },
  toChunks: (chunks) => chunks,
  bindsLimits: true,
  numberOf: (integer) => `${integer}::float8`,
  hexId: "replace(id::text, '-', '')",
  columns: COLUMN_NAMES.map(
    (name) => POSTGRES_COLUMNS[name] ?? (columnTypeOf(name) === "bigint" ? `${name}::float8 as ${name}` : name),
  ).join(", "),
  jsonOf: (column) => `${column}::jsonb`,
  // Uses type json, which does not parse the elements.
  attemptCount: "json_array_length(attempts::json)",
  // Parsing JSON takes longer than searching it: most attempts do not contain the text, and are not parsed.
  detailsWith(text, bind) {
    const pattern = bind(containing(text));
    return `(detail ilike ${pattern} or attempts ilike ${bind(containingInJson(text))} and exists (
      select 1 from jsonb_array_elements(attempts::jsonb) as tried where tried ->> 'detail' ilike ${pattern}))`;
  },
  isDifferent: `((result::jsonb #> '{response,status}') is distinct from (result::jsonb #> '{mirror,status}')
    or (result::jsonb #> '{response,finishReason}') is distinct from (result::jsonb #> '{mirror,finishReason}'))`,
  hasBit: (bit) => `get_bit(bits, ${bit}) = 1`,
  listsNames: true,
  // `offset 0` forces each chunk to be read by its range of the primary key, whatever the planner estimates.
  rowsOf: ({ requests }, condition) =>
    `unnest($1::bigint[]) as listed (chunk) join lateral (
      select * from ${requests} where row >= chunk * ${CHUNK_ROWS} and row < (chunk + 1) * ${CHUNK_ROWS} and ${condition} offset 0
    ) as rows on true`,
  listedChunk: "listed.chunk",
};

/** Conditions of a statement, with its parameters. */
export class Conditions {
  /** The values of the parameters, without the reserved ones. */
  readonly parameters: unknown[] = [];
  readonly #dialect: LogDialect;
  readonly #reserved: number;
  readonly #all: string[] = [];

  /** `reserved` is the number of parameters whose values are only known when the statement is executed. They come first. */
  constructor(dialect: LogDialect, reserved = 0) {
    this.#dialect = dialect;
    this.#reserved = reserved;
  }

  add(...conditions: readonly string[]): void {
    this.#all.push(...conditions);
  }

  /** Adds a parameter, and returns its SQL. */
  bind(type: ParameterType, value: unknown): string {
    const at = this.#reserved + this.parameters.push(this.#dialect.toParameter(type, value));
    return this.#dialect.parameters[type](at);
  }

  /** The SQL of a limit. */
  limit(limit: number): string {
    return this.#dialect.bindsLimits ? this.bind("row", limit) : String(limit);
  }

  get text(): string {
    return this.#all.length > 0 ? this.#all.join(" and ") : "true";
  }
}

/** A text in a form that PostgreSQL can store: without NUL characters and without halves of surrogate pairs. */
export function storable(text: string): string {
  return text.isWellFormed() && !text.includes("\0") ? text : text.toWellFormed().replaceAll("\0", "\uFFFD");
}

function containing(text: string): string {
  return `%${escapePattern(text)}%`;
}

/**
 * A pattern that matches JSON with this text in one of its strings. Characters that PostgreSQL cannot store are U+FFFD or an escape,
 * depending on the version that wrote them.
 */
function containingInJson(text: string): string {
  const parts = JSON.stringify(text)
    .slice(1, -1)
    .split(/\\u(?:0000|d[89a-f][0-9a-f]{2})|\uFFFD/);
  return `%${parts.map(escapePattern).join("%")}%`;
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}

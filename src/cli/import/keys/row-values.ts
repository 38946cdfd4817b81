/** A row of another gateway's table: values by column name, as JSON or as text. */
export type Row = Readonly<Record<string, unknown>>;

/** Text, or null if there is none. */
export function textIn(row: Row, name: string): string | null {
  const value = row[name];
  if (typeof value === "string") return value === "" ? null : value;
  return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean" ? String(value) : null;
}

export function numberIn(row: Row, name: string): number | null {
  const text = textIn(row, name);
  const number = Number(text);
  return text === null || !Number.isFinite(number) ? null : number;
}

/** Databases export true as `true`, `t` or 1. */
export function isTrueIn(row: Row, name: string): boolean {
  return ["true", "t", "1"].includes(textIn(row, name) ?? "");
}

/** A list of texts: a JSON array, or PostgreSQL's notation in CSV, `{a,"b c"}`. */
export function listIn(row: Row, name: string): readonly string[] {
  const value = row[name];
  if (Array.isArray(value)) return value.map(String);
  const text = textIn(row, name) ?? "";
  if (text.startsWith("[")) return (JSON.parse(text) as unknown[]).map(String);
  return [...text.replace(/^\{|\}$/g, "").matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/g)].map(([, quoted, plain]) =>
    quoted === undefined ? plain! : quoted.replaceAll(/\\(.)/g, "$1"),
  );
}

/** A JSON object; empty if there is none. */
export function objectIn(row: Row, name: string): Readonly<Record<string, unknown>> {
  const value = row[name];
  const read: unknown = typeof value === "string" && value.startsWith("{") ? JSON.parse(value) : value;
  return typeof read === "object" && read !== null ? (read as Record<string, unknown>) : {};
}

/** A time in ISO format. Without a time zone it is UTC, as LiteLLM stores it. */
export function timeIn(row: Row, name: string): string | null {
  const value = row[name];
  if (value instanceof Date) return value.toISOString();
  const text = textIn(row, name);
  if (text === null) return null;
  const isZoned = /(Z|[+-]\d\d(:?\d\d)?)$/.test(text);
  // PostgreSQL writes whole hours as `+00`, which is not in ISO format.
  const iso = text.replace(" ", "T").replace(/(:.*[+-]\d\d)$/, "$1:00");
  const date = new Date(isZoned ? iso : `${iso}Z`);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** The end of the year 9999. A later time has no ISO format. */
const MAX_SECONDS = 253_402_300_799;

/** Seconds since 1970; -1 and 0 mean never. */
export function secondsIn(row: Row, name: string): string | null {
  const seconds = numberIn(row, name);
  return seconds === null || seconds <= 0 ? null : new Date(Math.min(seconds, MAX_SECONDS) * 1000).toISOString();
}

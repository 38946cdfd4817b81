import type { Schema } from "../lib/schema/schema.ts";

/**
 * The timeouts of a call to an upstream: a timeout is a row. Schemas, stored documents, options of the command line and fields of the console are
 * derived from the rows. The default values are long if a model may be thinking, and short if only a dead server would be slow.
 */
export const TIMEOUTS = [
  { name: "connectMs", field: "connect_ms", defaultMs: 3_000, label: "Connect", meaning: "connect timeout in milliseconds" },
  // From sending a streaming request. A JSON response arrives as a whole, and has `nonStreamedMs`.
  {
    name: "firstByteMs",
    field: "first_byte_ms",
    defaultMs: 120_000,
    label: "First byte",
    meaning: "timeout to the first byte of a stream",
  },
  {
    name: "betweenChunksMs",
    field: "between_chunks_ms",
    defaultMs: 60_000,
    label: "Between chunks",
    meaning: "timeout between two chunks of a stream",
  },
  // At most `totalMs`, which is also its default.
  {
    name: "nonStreamedMs",
    field: "non_streamed_ms",
    defaultMs: undefined,
    label: "Not streamed",
    meaning: "timeout of a whole response that is not streamed",
  },
  { name: "totalMs", field: "total_ms", defaultMs: 900_000, label: "Total", meaning: "timeout of the whole call" },
] as const;

export type Timeout = (typeof TIMEOUTS)[number];
/** The timeouts with a default value. */
type TimeoutWithDefault = Extract<Timeout, { readonly defaultMs: number }>;

export type Timeouts = { readonly [Row in TimeoutWithDefault as Row["name"]]: number } & {
  readonly [Row in Exclude<Timeout, TimeoutWithDefault> as Row["name"]]?: number;
};

/** Timeouts in requests, replies and the config file. */
type NamedTimeouts = { readonly [Row in Timeout as Row["field"]]?: number };

export const DEFAULT_TIMEOUTS = toTimeouts(Object.fromEntries(TIMEOUTS.map(({ field, defaultMs }) => [field, defaultMs]))) as Timeouts;

/** No overrides. */
export const NO_TIMEOUTS: Partial<Timeouts> = {};

/** The same schema for the field of each timeout. */
export function perTimeout<const S extends Schema>(schema: S): { readonly [Row in Timeout as Row["field"]]: S } {
  return Object.fromEntries(TIMEOUTS.map(({ field }) => [field, schema])) as { readonly [Row in Timeout as Row["field"]]: S };
}

/** The fields of timeouts that an upstream always has. */
export const TIMEOUTS_WITH_DEFAULT = TIMEOUTS.flatMap((row): TimeoutWithDefault["field"][] =>
  row.defaultMs === undefined ? [] : [row.field],
);

/** Timeouts in a config file or a request. */
export const declaredTimeoutsSchema = {
  title: "TimeoutsInput",
  type: "object",
  form: "{ total_ms: 60000 }",
  additionalProperties: false,
  properties: perTimeout({ type: "integer", minimum: 1, maximum: 86_400_000 }),
} as const satisfies Schema;

/** The declared timeouts. */
export function toTimeouts(declared: NamedTimeouts | undefined): Partial<Timeouts> {
  if (declared === undefined) return NO_TIMEOUTS;
  const given = TIMEOUTS.filter(({ field }) => declared[field] !== undefined);
  return Object.fromEntries(given.map(({ name, field }) => [name, declared[field]]));
}

/** The inverse of `toTimeouts`: timeouts as the API returns them. */
export function fromTimeouts(timeouts: Timeouts): Pick<Required<NamedTimeouts>, TimeoutWithDefault["field"]> & NamedTimeouts;
export function fromTimeouts(timeouts: Partial<Timeouts>): NamedTimeouts;
export function fromTimeouts(timeouts: Partial<Timeouts>): NamedTimeouts {
  const given = TIMEOUTS.filter(({ name }) => timeouts[name] !== undefined);
  return Object.fromEntries(given.map(({ name, field }) => [field, timeouts[name]]));
}

import type { Schema } from "../../src/lib/schema/schema.ts";
import type { SeededRandom } from "../support/random.ts";

/** The values that a call can use. */
export interface KnownValues {
  /** IDs by the part of the platform that uses them: `keys`. */
  readonly ownIds: Readonly<Record<string, readonly string[]>>;
  readonly foreignIds: readonly string[];
  readonly ownKey: string;
  readonly emails: readonly string[];
  readonly passwords: readonly string[];
}

/** Text that some parser, database or file system has misinterpreted. */
const TRICKY = [
  "",
  " ",
  ".",
  "..",
  "../acct-b",
  "..%2facct-b",
  "own/../acct-b",
  "own\u0000acct-b",
  "%00",
  "own ",
  "OWN",
  "\uFF4F\uFF57\uFF4E",
  "o\u200Bwn",
  "own\r\nx-forged: 1",
  "own,acct-b",
  "own;acct-b",
  "acct-b'--",
  "' or '1'='1",
  '" or 1=1 --',
  "%",
  "_",
  "*",
  "acct-*",
  "\uD800",
  "\u202Eb-tcca",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "undefined",
  "[object Object]",
  "${jndi:ldap://acct-b}",
  "{{7*7}}",
  "<script>alert(1)</script>",
  "a".repeat(3000),
] as const;

/** Values of types that no field has. */
const JUNK: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  -(2 ** 63),
  "",
  [],
  {},
  [[]],
  ["acct-b"],
  ["own", "acct-b"],
  { id: "acct-b" },
  { $ne: "own" },
  { toString: "acct-b" },
];

const MODELS = ["*", "open-*", "open-1", "open-2", "hidden-1", "acct-*", "nothing"] as const;
const TIMES = ["2027-06-01T00:00:00Z", "2027-06-01", "2020-01-01", "9999-12-31", "2027-13-01", "now", "+275760-09-13T00:00:00Z"] as const;

/** `name` is the name of the field, or the part of the platform in whose path the text is. */
export function textFor(name: string, random: SeededRandom, known: KnownValues): string {
  if (random.happens(0.1)) return random.pick(TRICKY);
  const ids = random.happens(0.5) ? (known.ownIds[name] ?? Object.values(known.ownIds).flat()) : known.foreignIds;
  switch (name) {
    case "account":
      return random.pick(["own", "acct-b", "acct-c", "default"]);
    case "models":
      return random.pick(MODELS);
    case "email":
      return random.pick(known.emails);
    case "password":
    case "current":
    case "new":
      return random.pick(known.passwords);
    case "key":
      return random.pick([known.ownKey, known.ownKey.slice(0, -1), "sk-service-junk"]);
    case "expires_at":
    case "since":
    case "from":
    case "to":
    case "shutdown_date":
      return random.pick(TIMES);
    case "day":
    case "month":
    case "total":
    case "amount":
      return random.pick(["1", "0.5", "999999999", "-1", "1e9"]);
    case "cursor":
      return forgeCursor(random, ids);
    case "page":
      return random.pick(["/", "/requests", "//example.test"]);
    case "query":
      return random.pick(["", "account=acct-b", "?a"]);
    case "name":
    case "search":
      return random.pick(["mine", "own key", "mark", "b", "e", "\u00E9\u4E2D"]);
    default:
      return random.pick(ids);
  }
}

/** A cursor is text that clients send back, so they can send back a different position. */
function forgeCursor(random: SeededRandom, ids: readonly string[]): string {
  const at = random.pick([0, 1, 2 ** 53 - 1, Date.UTC(2028, 0, 1), -1]);
  const place = random.pick([[at], [random.pick(ids)], [at, random.pick(ids)], [""], ["~"], [at, "~"], { length: 1 }, [[at]], "junk"]);
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

/** Mostly a value that the schema requires, from existing data, and sometimes anything else. */
export function valueFor(schema: Schema, name: string, random: SeededRandom, known: KnownValues): unknown {
  if (random.happens(0.04)) return random.pick(JUNK);
  if (schema.nullable && random.happens(0.2)) return null;
  if (schema.enum) return random.happens(0.95) ? random.pick(schema.enum) : textFor(name, random, known);
  switch (schema.type) {
    case "object":
      return objectFor(schema, random, known);
    case "array":
      return Array.from({ length: 1 + Math.floor(random.next() * 3) }, () => valueFor(schema.items ?? {}, name, random, known));
    case "integer":
    case "number":
      return random.pick([0, 1, 60, 1000, schema.maximum ?? 5, 2 ** 53]);
    case "boolean":
      return random.happens(0.5);
    case "string":
    case undefined:
      return textFor(name, random, known);
  }
}

function objectFor({ properties = {}, required = [] }: Schema, random: SeededRandom, known: KnownValues): Record<string, unknown> {
  const chosen = Object.entries(properties).filter(([name]) => random.happens(required.includes(name) ? 0.97 : 0.3));
  return Object.fromEntries(chosen.map(([name, property]) => [name, valueFor(property, name, random, known)]));
}

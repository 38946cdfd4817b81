import { Secret } from "../secret/secret.ts";

/**
 * Values that JSON does not have are encoded as an object with one field, whose name is the tag. Only tags start with a single `$`: in the
 * field names of other objects, a leading `$` is doubled, so that no text of a caller can be mistaken for a tag.
 */
const TAGS = {
  bigint: "$bigint",
  map: "$map",
  set: "$set",
  bytes: "$bytes",
  secret: "$secret",
  undefined: "$undefined",
  number: "$number",
} as const;

const TAG_PREFIX = "$";

type Json = Readonly<Record<string, unknown>>;

/**
 * Plain data as JSON: with `bigint`, `Map`, `Set`, `Uint8Array`, `undefined`, every number, and secrets in plain text. Use it only for
 * connections that nobody else can read. `fromTaggedJson` returns an equal value. Throws for functions and for objects of other classes.
 */
export function toTaggedJson(value: unknown): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0) ? value : { [TAGS.number]: Object.is(value, -0) ? "-0" : String(value) };
    case "bigint":
      return { [TAGS.bigint]: String(value) };
    case "undefined":
      return { [TAGS.undefined]: null };
    case "object":
      return value === null ? null : objectToJson(value);
    case "function":
    case "symbol":
      throw new TypeError(`a ${typeof value} cannot be sent to another process`);
  }
}

function objectToJson(value: object): unknown {
  if (Array.isArray(value)) return Array.from(value, toTaggedJson);
  if (value instanceof Map) return { [TAGS.map]: Array.from(value, ([key, each]) => [toTaggedJson(key), toTaggedJson(each)]) };
  if (value instanceof Set) return { [TAGS.set]: Array.from(value, toTaggedJson) };
  if (value instanceof Uint8Array) return { [TAGS.bytes]: value.toHex() };
  if (value instanceof Secret) return { [TAGS.secret]: value.reveal() };
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`an object of the class ${value.constructor.name} cannot be sent to another process`);
  }
  // `fromEntries` defines every field, even a field with the name `__proto__`.
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [escapeName(name), toTaggedJson(each)]));
}

/** Returns the value that was passed to `toTaggedJson`. */
export function fromTaggedJson(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(fromTaggedJson);
  const fields = Object.entries(json as Json);
  const [first] = fields;
  if (first && fields.length === 1 && isTag(first[0])) return fromTagged(first[0], first[1]);
  return Object.fromEntries(fields.map(([name, each]) => [unescapeName(name), fromTaggedJson(each)]));
}

function fromTagged(tag: string, content: unknown): unknown {
  switch (tag) {
    case TAGS.bigint:
      return BigInt(content as string);
    case TAGS.map:
      return new Map((content as [unknown, unknown][]).map(([key, each]) => [fromTaggedJson(key), fromTaggedJson(each)]));
    case TAGS.set:
      return new Set((content as unknown[]).map(fromTaggedJson));
    case TAGS.bytes:
      return Uint8Array.fromHex(content as string);
    case TAGS.secret:
      return new Secret(content as string);
    case TAGS.undefined:
      return undefined;
    case TAGS.number:
      return Number(content);
    default:
      throw new TypeError(`unknown tag ${tag}`);
  }
}

function escapeName(name: string): string {
  return name.startsWith(TAG_PREFIX) ? TAG_PREFIX + name : name;
}

function unescapeName(name: string): string {
  return name.startsWith(TAG_PREFIX) ? name.slice(TAG_PREFIX.length) : name;
}

function isTag(name: string): boolean {
  return name.startsWith(TAG_PREFIX) && !name.startsWith(TAG_PREFIX + TAG_PREFIX);
}

import { describeFields } from "./describe-fields.ts";
import { inShort } from "./in-short.ts";

/** A thing that a config file declares, with what is known of it. */
interface Declared {
  readonly kind: string;
  readonly id: string;
}

/** What a reload did, thing by thing: `added model n; changed model m (owned_by: a → b)`. Undefined where the record has none. */
export function describeReload(before: object, after: object): string | undefined {
  const was = thingsIn(before, "changed");
  const parts = [
    ...thingsIn(after, "added").map((thing) => `added ${inShort(thing)}`),
    ...thingsIn(after, "changed").map((thing) => describeChanged(was.find((each) => isSame(each, thing)) ?? null, thing)),
    ...thingsIn(before, "removed").map((thing) => `${thing.kind === "account" ? "no longer in the file:" : "removed"} ${inShort(thing)}`),
  ];
  return parts.length === 0 ? undefined : parts.join("; ");
}

function describeChanged(before: object | null, after: Declared): string {
  const fields = describeFields(before, after);
  return `changed ${inShort(after)}${fields === "" ? "" : ` (${fields})`}`;
}

function isSame(one: Declared, other: Declared): boolean {
  return one.kind === other.kind && one.id === other.id;
}

function thingsIn(record: object, list: "added" | "changed" | "removed"): Declared[] {
  const things = (record as Readonly<Record<string, unknown>>)[list];
  return Array.isArray(things) ? things.filter(isDeclared) : [];
}

function isDeclared(thing: unknown): thing is Declared {
  return typeof thing === "object" && thing !== null && "kind" in thing && "id" in thing;
}

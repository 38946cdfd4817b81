import type { Schema } from "./schema.ts";

/**
 * The type of the values that a schema accepts, once its violations have been ruled out. It reads the literals of a schema, so the schema
 * must be declared `as const satisfies Schema`. For a schema that is only known as `Schema`, the result is any value.
 */
export type Infer<S> = S extends { readonly nullable: true } ? ValueOf<S> | null : ValueOf<S>;

type ValueOf<S> = S extends { readonly oneOf: readonly (infer Alternative)[] }
  ? Alternative extends unknown
    ? Infer<Alternative>
    : never
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly type: "string" }
      ? string
      : S extends { readonly type: "integer" | "number" }
        ? number
        : S extends { readonly type: "boolean" }
          ? boolean
          : S extends { readonly type: "array" }
            ? readonly (S extends { readonly items: infer Item } ? Infer<Item> : unknown)[]
            : S extends { readonly type: "object" }
              ? ObjectOf<S>
              : unknown;

type ObjectOf<S> = S extends { readonly properties: infer Properties }
  ? Simplify<
      { readonly [Name in keyof Properties as Name extends RequiredOf<S> ? Name : never]: Infer<Properties[Name]> } & {
        readonly [Name in keyof Properties as Name extends RequiredOf<S> ? never : Name]?: Infer<Properties[Name]>;
      }
    >
  : S extends { readonly additionalProperties: infer Value extends Schema }
    ? Readonly<Record<string, Infer<Value>>>
    : object;

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

/** Merges an intersection into one object type, because compiler messages show intersections unmerged. */
type Simplify<T> = T extends infer O ? { [Name in keyof O]: O[Name] } : never;

/** The same schema, which also accepts null. */
export function nullable<const S extends Schema>(schema: S) {
  return { ...schema, nullable: true } as const;
}

type AllNullable<Properties> = { readonly [Name in keyof Properties]: Properties[Name] & { readonly nullable: true } };

/** The same property schemas, each also accepting null. */
export function allNullable<const Properties extends Readonly<Record<string, Schema>>>(properties: Properties): AllNullable<Properties> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, nullable(schema)]),
  ) as unknown as AllNullable<Properties>;
}

/** The names of properties that are all required. */
export function namesOf<Properties extends object>(properties: Properties): (keyof Properties & string)[] {
  return Object.keys(properties) as (keyof Properties & string)[];
}

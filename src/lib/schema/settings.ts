import type { Infer } from "./infer.ts";
import { findViolation, formatPath, isObject, type Fail, type Schema } from "./schema.ts";

/** Schemas of fields, by their names in requests, replies and the config file. */
type Fields = Readonly<Record<string, Schema>>;

type OptionalValues<F> = { readonly [Name in keyof F]?: Infer<F[Name]> };
type CompleteValues<F> = { readonly [Name in keyof F]-?: Infer<F[Name]> };

/**
 * A setting of a record, such as the rate limits of an account: its value in memory, and the fields in which people write and read it. Most settings
 * have one field. Schemas, changes, replies and stored documents are derived from these declarations, so that a setting is declared once.
 */
export interface Setting<Value, Wire extends Fields, File extends Fields, View extends Fields> {
  /** The fields in requests. */
  readonly wire: Wire;
  /** The fields in a config file, where amounts may be numbers. */
  readonly file: File;
  /** The fields in replies. */
  readonly view: View;
  /** The value of a record that does not set it. */
  readonly initial: Value;
  /** The value after a change: fields that are not given stay, and null clears. */
  change(value: Value, given: OptionalValues<Wire>): Value;
  /** Converts the fields of a config file to the fields of a request. */
  fromFile(given: OptionalValues<File>, fail: Fail): OptionalValues<Wire>;
  show(value: Value): CompleteValues<View>;
  /** The value of a stored document, which has the fields of replies, or fewer if an older version stored it. */
  restore(stored: OptionalValues<View>): Value;
}

/** A setting whose fields are the same in requests, in the config file and in replies, where `file` and `view` do not say otherwise. */
export function setting<Value, const Wire extends Fields, const File extends Fields = Wire, const View extends Fields = Wire>(declared: {
  readonly wire: Wire;
  readonly file?: File;
  readonly fromFile?: (given: OptionalValues<File>, fail: Fail) => OptionalValues<Wire>;
  readonly view?: View;
  readonly initial: Value;
  readonly change: (value: Value, given: OptionalValues<Wire>) => Value;
  readonly show: (value: Value) => CompleteValues<View>;
  readonly restore?: (stored: OptionalValues<View>) => Value;
}): Setting<Value, Wire, File, View> {
  // Without `file` and `view`, these types are the type of `wire`.
  const { file = declared.wire as unknown as File, view = declared.wire as unknown as View } = declared;
  const { initial, change, fromFile = (given) => given as unknown as OptionalValues<Wire> } = declared;
  const { restore = (stored) => change(initial, stored as unknown as OptionalValues<Wire>) } = declared;
  return { ...declared, file, view, fromFile, restore };
}

/** A setting of one field, whose value in memory is the value of the field. */
export function plainSetting<const Name extends string, const S extends Schema>(name: Name, schema: S, initial: Infer<S>) {
  type Field = { readonly [N in Name]: S };
  return setting<Infer<S>, Field>({
    wire: { [name]: schema } as Field,
    initial,
    change(value, given) {
      const change = (given as Readonly<Record<string, Infer<S> | undefined>>)[name];
      return change === undefined ? value : change;
    },
    show: (value) => ({ [name]: value }) as unknown as CompleteValues<Field>,
  });
}

export type Settings = Readonly<Record<string, Setting<unknown, Fields, Fields, Fields>>>;

/** The values of settings in memory: a part of the record. */
export type ValuesOf<S extends Settings> = { readonly [Name in keyof S]: S[Name]["initial"] };

type Form = "wire" | "file" | "view";
type UnionToIntersection<U> = (U extends unknown ? (each: U) => void : never) extends (each: infer All) => void
  ? { readonly [N in keyof All]: All[N] }
  : never;

/** The fields of a request that changes settings. */
export type ChangesOf<S extends Settings> = OptionalValues<FieldsOf<S, "wire">>;

/** The fields of all settings in one form. */
export type FieldsOf<S extends Settings, F extends Form> = UnionToIntersection<S[keyof S][F]>;

export function fieldsOf<S extends Settings, const F extends Form>(settings: S, form: F): FieldsOf<S, F> {
  return Object.assign({}, ...Object.values(settings).map((each) => each[form])) as FieldsOf<S, F>;
}

export function initialValues<S extends Settings>(settings: S): ValuesOf<S> {
  return mapped(settings, ({ initial }) => initial);
}

/** The values of a record, without its other fields. */
export function valuesIn<S extends Settings>(settings: S, record: ValuesOf<S>): ValuesOf<S> {
  return mapped(settings, (_, name) => record[name]);
}

/** The values after a change: fields that are not given stay, and null clears. */
export function changeValues<S extends Settings>(settings: S, values: ValuesOf<S>, given: ChangesOf<S>): ValuesOf<S> {
  return mapped(settings, (each, name) => each.change(values[name], given as OptionalValues<Fields>));
}

/** The values that a config file declares. What it does not declare has its initial value. */
export function valuesInFile<S extends Settings>(settings: S, declared: OptionalValues<FieldsOf<S, "file">>, fail: Fail): ValuesOf<S> {
  return mapped(settings, (each) => each.change(each.initial, each.fromFile(declared as OptionalValues<Fields>, fail)));
}

/** The values as replies and the audit log have them. */
export function showValues<S extends Settings>(settings: S, values: ValuesOf<S>): CompleteValues<FieldsOf<S, "view">> {
  return Object.assign({}, ...Object.entries(settings).map(([name, each]) => each.show(values[name]))) as CompleteValues<
    FieldsOf<S, "view">
  >;
}

/** Fields of a stored document that this version does not know: a newer version has written them. They are kept, so that a rollback loses nothing. */
export interface WithUnknownFields {
  readonly unknownFields?: UnknownFields;
}

type UnknownFields = Readonly<Record<string, unknown>>;

/** The values as a JSON document. */
export function storeValues<S extends Settings>(settings: S, values: ValuesOf<S> & WithUnknownFields): string {
  const shown = showValues(settings, values);
  return JSON.stringify(values.unknownFields ? joined(values.unknownFields, shown) : shown);
}

/**
 * The values of a stored document. Fields may be missing, which an older version did not have, and unknown, which a newer one has. Throws for a
 * value that its setting cannot have: somebody has changed the database.
 */
export function restoreValues<S extends Settings>(settings: S, text: string): ValuesOf<S> & WithUnknownFields {
  const stored = JSON.parse(text) as Record<string, unknown>;
  const schema: Schema = { type: "object", properties: fieldsOf(settings, "view") };
  const violation = findViolation(withoutDemands(schema), stored);
  if (violation) throw new Error(`the stored field ${formatPath(violation.path)} ${violation.message}`);
  const unknown = unknownIn(schema, stored);
  return { ...mapped(settings, (each) => each.restore(stored as OptionalValues<Fields>)), ...(unknown && { unknownFields: unknown }) };
}

/** The schema without required fields, and with any other fields. */
function withoutDemands({ required: _required, additionalProperties, ...schema }: Schema): Schema {
  const { properties, items } = schema;
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, withoutDemands(each)])) }),
    ...(items && { items: withoutDemands(items) }),
    ...(additionalProperties && { additionalProperties: withoutDemands(additionalProperties) }),
  };
}

/** The unknown fields of an object and of the objects in its known fields; undefined if there are none. */
function unknownIn({ properties, additionalProperties }: Schema, value: unknown): UnknownFields | undefined {
  if (!properties || additionalProperties || !isObject(value)) return undefined;
  const found = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    if (!Object.hasOwn(properties, name)) return [[name, field]];
    const inside = unknownIn(properties[name]!, field);
    return inside ? [[name, inside]] : [];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function joined(unknown: UnknownFields, shown: object): object {
  const fields: Record<string, unknown> = { ...shown };
  for (const [name, field] of Object.entries(unknown)) {
    const known = fields[name];
    if (!Object.hasOwn(fields, name)) fields[name] = field;
    else if (isObject(known) && isObject(field)) fields[name] = joined(field, known);
  }
  return fields;
}

function mapped<S extends Settings>(settings: S, valueOf: (setting: S[keyof S], name: keyof S) => unknown): ValuesOf<S> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, each]) => [name, valueOf(each as S[keyof S], name)]),
  ) as unknown as ValuesOf<S>;
}

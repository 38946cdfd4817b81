import { ANYTHING, findViolation, type Fail, type Path, type Schema } from "../../lib/schema/schema.ts";
import { plainTextSchema } from "../../lib/schema/plain-text.ts";
import { PARAMETERS_WITH_RULES } from "./dialect-parameters.ts";
import { LIMIT_NAMES, FIELDS_WITHOUT_POLICY } from "./parameter-policy.ts";
import { parameterSchemas } from "./parameter-schemas.ts";

/** The parameters that a route adds to requests without them, by name. */
export type DefaultParameters = Readonly<Record<string, unknown>>;

/** `toDefaults` validates each value like a caller's parameter. */
export const defaultParametersSchema = {
  title: "DefaultParametersInput",
  type: "object",
  form: "{ temperature: 0.2 }",
  maxProperties: 50,
  propertyNames: { ...plainTextSchema, minLength: 1 },
  additionalProperties: ANYTHING,
} as const satisfies Schema;

/** `n` is excluded: a caller that sends no `n` expects one choice. */
const { n: _n, ...allowedSchemas } = parameterSchemas;

const valuesSchema = {
  type: "object",
  reserved: { ...PARAMETERS_WITH_RULES, n: true },
  properties: allowedSchemas,
} as const satisfies Schema;

/** Rejects a default that would be rejected in a request. */
export function toDefaults(declared: DefaultParameters, path: Path, fail: Fail): DefaultParameters {
  for (const [name, value] of Object.entries(declared)) {
    if (FIELDS_WITHOUT_POLICY.has(name) || name === "n") fail([...path, name], "is set by every request itself and cannot have a default");
    if (value === null) fail([...path, name], "has no value: set one, or omit the field");
  }
  const violation = findViolation(valuesSchema, declared);
  if (violation) fail([...path, ...violation.path], violation.message);
  if (LIMIT_NAMES.every((name) => Object.hasOwn(declared, name))) {
    fail([...path, LIMIT_NAMES[1]], `cannot be combined with ${LIMIT_NAMES[0]}: they are two names of one parameter`);
  }
  return declared;
}

/** The most that the defaults of a model's routes add to a request. */
export interface DefaultsBound {
  /** The bytes as JSON. */
  readonly bytes: number;
  /** The highest default of `max_tokens`; undefined if no route has one. */
  readonly maxTokens: number | undefined;
  /** Whether every route has a default of `max_tokens`. */
  readonly areAllLimited: boolean;
}

/** Undefined if no route has defaults. */
export function boundDefaults(routes: readonly { readonly defaults?: DefaultParameters | undefined }[]): DefaultsBound | undefined {
  const all = routes.flatMap(({ defaults }) => (defaults ? [defaults] : []));
  if (all.length === 0) return undefined;
  const limits = all.flatMap((defaults) => LIMIT_NAMES.flatMap((name) => (defaults[name] as number | undefined) ?? []));
  return {
    bytes: Math.max(...all.map((defaults) => Buffer.byteLength(JSON.stringify(defaults)))),
    maxTokens: limits.length === 0 ? undefined : Math.max(...limits),
    areAllLimited: limits.length === routes.length,
  };
}

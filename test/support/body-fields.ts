import type { Operation } from "../../src/platform/operation.ts";
import { operations } from "../../src/platform/operations.ts";
import type { Platform } from "../../src/platform/platform.ts";
import type { Path, Schema } from "../../src/lib/schema/schema.ts";

/** The operations that read a body. Only their schemas are read: no code of the platform runs. */
export const WITH_BODY: readonly Operation[] = operations({} as Platform).filter(({ body, passesBodyOn }) => body && !passesBodyOn);

export interface Field {
  readonly path: Path;
  readonly schema: Schema;
}

/** Every field that a body can have, at any depth. For alternatives, and for fields with arbitrary names, every described field. */
export function fieldsIn({ properties = {}, items, additionalProperties, oneOf = [] }: Schema, path: Path = []): Field[] {
  const parts: [string | number, Schema][] = [
    ...Object.entries(properties),
    ...(items ? [[0, items] as [number, Schema]] : []),
    ...(additionalProperties ? [["any_name", additionalProperties] as [string, Schema]] : []),
  ];
  return [
    ...oneOf.flatMap((alternative) => fieldsIn(alternative, path)),
    ...parts.flatMap(([step, schema]) => [{ path: [...path, step], schema }, ...fieldsIn(schema, [...path, step])]),
  ];
}

import { Refusal } from "../platform/call.ts";

/** What the platform has against a field, to be shown at it. Of a list or an object, what it has against any part of it. */
export function refusalAt(error: Error | null, field: string): string | undefined {
  return error instanceof Refusal && isWithin(error.param, field) ? error.message : undefined;
}

/** What it has against the whole: what none of these fields shows. */
export function refusalBeside(error: Error | null, fields: readonly string[]): string | undefined {
  if (!error || fields.some((field) => refusalAt(error, field) !== undefined)) return undefined;
  return error.message;
}

function isWithin(param: string | null, field: string): boolean {
  return param !== null && (param === field || param.startsWith(`${field}.`) || param.startsWith(`${field}[`));
}

import { Refusal } from "../platform/call.ts";

/** What the platform has against a field, to be shown at it. Of a list or an object, what it has against any part of it. */
export function refusalAt(error: Error | null, field: string): string | undefined {
  return error instanceof Refusal && isWithin(error.param, field) ? withoutName(error.message, field) : undefined;
}

/** The label above the field is its name for people; that in the message, such as `routes[0].model`, is for programs. */
function withoutName(message: string, field: string): string {
  if (!message.startsWith(`${field} `)) return message;
  const rest = message.slice(field.length + 1);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** What it has against the whole: what none of these fields shows. */
export function refusalBeside(error: Error | null, fields: readonly string[]): string | undefined {
  if (!error || fields.some((field) => refusalAt(error, field) !== undefined)) return undefined;
  return error.message;
}

function isWithin(param: string | null, field: string): boolean {
  return param !== null && (param === field || param.startsWith(`${field}.`) || param.startsWith(`${field}[`));
}

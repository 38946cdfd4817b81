import { ApiError } from "../platform/call.ts";

/** The platform's validation error for a field; for a list or an object, also the error of any part of it. */
export function refusalAt(error: Error | null, field: string): string | undefined {
  return error instanceof ApiError && isWithin(error.param, field) ? withoutName(error.message, field) : undefined;
}

/** Strips the field's API name, such as `routes[0].model`, from the message: the label already names the field. */
function withoutName(message: string, field: string): string {
  if (!message.startsWith(`${field} `)) return message;
  const rest = message.slice(field.length + 1);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** The error that none of these fields shows. */
export function refusalBeside(error: Error | null, fields: readonly string[]): string | undefined {
  if (!error || fields.some((field) => refusalAt(error, field) !== undefined)) return undefined;
  return error.message;
}

function isWithin(param: string | null, field: string): boolean {
  return param !== null && (param === field || param.startsWith(`${field}.`) || param.startsWith(`${field}[`));
}

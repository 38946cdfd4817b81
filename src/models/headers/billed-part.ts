import type { Fail, Schema } from "../../lib/schema/schema.ts";
import type { SecretHeaders } from "./secret-headers.ts";
import type { Dialect } from "../upstream-settings.ts";

/** The organization or the project at OpenAI that requests are billed to. */
export const billedPartSchema = {
  type: "string",
  maxLength: 200,
  pattern: "^[!-~]+$",
  patternInWords: "ASCII without spaces",
} as const satisfies Schema;

/** Other formats have no such headers. */
export function refuseBilledPart(
  declared: { readonly organization?: string; readonly project?: string },
  dialect: Dialect,
  headers: SecretHeaders | undefined,
  fail: Fail,
): void {
  for (const field of ["organization", "project"] as const) {
    if (declared[field] === undefined) continue;
    if (dialect !== "openai") fail([field], "goes with the dialect openai only");
    if (headers?.[`openai-${field}`]) fail([field], `does not go with the header openai-${field}: give one of the two`);
  }
}

import type { Origin } from "../../../models/catalog.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import type { Platform } from "../../platform.ts";

export const managedBySchema = {
  type: "string",
  enum: ["operator", "file", "environment"],
  description: "The source of its configuration. Only resources with `operator` can be changed through this API.",
} as const satisfies Schema;

/** Rejects changes to resources that are managed elsewhere, and names the place to change them. */
export function refuseForeign(
  kind: "model" | "upstream" | "account" | "price_list",
  id: string,
  origin: Origin,
  { config }: Platform,
): void {
  const noun = kind.replace("_", " ");
  if (origin === "file") {
    throw new ApiError(
      "managed_elsewhere",
      `The ${noun} ${id} is declared in ${config!.path} and can be changed only there: ${kind}s, id ${id}. Tollgate reloads the file when it changes.`,
    );
  }
  if (origin === "environment") {
    const found = `The ${kind} ${id} is built in, or was discovered from the environment that Tollgate was started with.`;
    const instead =
      kind === "model" ? "Create a model with this id to replace it." : "Change it there, or create an upstream with another id.";
    throw new ApiError("managed_elsewhere", `${found} ${instead}`);
  }
}

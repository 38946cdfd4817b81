import type { Origin } from "../../../models/catalog.ts";
import { GatewayError } from "../../../requests/gateway-error.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import type { Platform } from "../../platform.ts";

export const managedBySchema: Schema = {
  type: "string",
  enum: ["operator", "file", "environment"],
  description: "Who decides about it. Here, only what is an operator's can be changed.",
};

/** Refuses to change what is not the operators' to change here, and says where it can be. */
export function refuseForeign(kind: "model" | "upstream" | "account", id: string, origin: Origin, { config }: Platform): void {
  if (origin === "file") {
    throw new GatewayError(
      "managed_elsewhere",
      `The ${kind} ${id} is declared in ${config!.path} and can be changed only there: ${kind}s, id ${id}. A changed file is read again by itself.`,
    );
  }
  if (origin === "environment") {
    const found = `The ${kind} ${id} was found in the environment that Tollgate was started with.`;
    const instead =
      kind === "model"
        ? "Make a model of your own with this id, and that takes its place."
        : "Change it there, or make an upstream of your own with another id.";
    throw new GatewayError("managed_elsewhere", `${found} ${instead}`);
  }
}

import { members } from "../../../access/access.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findModel } from "./find-model.ts";
import { modelSchema, viewModel } from "./model-view.ts";
import { priceChangeSchema, priceChangesOf } from "./price-changes.ts";

const shownModelSchema = {
  ...modelSchema,
  title: "ShownModel",
  properties: {
    ...modelSchema.properties,
    price_changes: {
      type: "array",
      items: priceChangeSchema,
      description: "The declared prices over time, newest first. Shown to operators.",
    },
  },
} as const satisfies Schema;

/** GET /api/models/:id: a model. A slash in an id is encoded: `openai%2Fgpt-4o`. */
export function showModel(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/models/:id",
    access: members("models:read"),
    operationId: "showModel",
    summary: "Show a model, its state and its prices",
    reply: { status: 200, description: "The model.", json: shownModelSchema },
    async run({ actor, param }) {
      const model = findModel(param("id"), actor, platform);
      const view = viewModel(model, actor, platform);
      return actor.role === "operator" ? { ...view, price_changes: await priceChangesOf(model.id, platform) } : view;
    },
  });
}

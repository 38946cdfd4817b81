import { operators } from "../../../access/access.ts";
import { modelIdSchema } from "../../../models/declared-model.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { addModel } from "./create-model.ts";
import { findDeclaredModel, findModel } from "./find-model.ts";
import { modelSchema, viewModel } from "./model-view.ts";

/** POST /api/models/:id/clone: creates a model with the settings of another, under another id. */
export function cloneModel(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/models/:id/clone",
    access: operators("models:write"),
    operationId: "cloneModel",
    summary:
      "Create a model with the routes, prices and settings of another, also of one in the config file. It is available, and is announced.",
    body: {
      title: "CloneModelRequest",
      type: "object",
      additionalProperties: false,
      required: ["id"],
      properties: { id: { ...modelIdSchema, description: "The id of the new model." } },
    },
    reply: { status: 201, description: "The new model.", json: modelSchema },
    run(call) {
      const { declared } = findDeclaredModel(call.param("id"), call.actor, platform);
      return addModel({ ...declared, id: call.body.id }, call, platform);
    },
    showCreated: (id, { actor }) => viewModel(findModel(id, actor, platform), actor, platform),
  });
}

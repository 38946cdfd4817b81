import { operators } from "../../../access/access.ts";
import { daySchema } from "../../../models/declared-model.ts";
import { operation, type ReadOnlyCall, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { previewChange } from "../../preview/change-preview.ts";
import { simulateModelChange } from "../../preview/simulate-model-change.ts";
import { announcementOf } from "./announcement-of.ts";
import { findDeclaredModel, findModel, findOwnModel } from "./find-model.ts";
import {
  stateConflict,
  readReplacement,
  readShutdownDate,
  refuseWhileReplacing,
  type Deprecated,
  type ModelMove,
} from "./state-transitions.ts";
import { describeModel, modelSchema, viewModel } from "./model-view.ts";

interface Deprecation {
  readonly shutdown_date: string;
  readonly replacement: string;
}

/** POST /api/models/:id/deprecate: announces the retirement of a model. It keeps working until then. */
export function deprecateModel(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/models/:id/deprecate",
    access: operators("models:write"),
    operationId: "deprecateModel",
    summary: "Deprecate an available model: announce its shutdown date and its replacement. It keeps working.",
    body: {
      title: "DeprecateModelRequest",
      type: "object",
      additionalProperties: false,
      required: ["shutdown_date", "replacement"],
      properties: {
        shutdown_date: { ...daySchema, description: "The planned shutdown date, such as 2027-01-31." },
        replacement: { type: "string", minLength: 1, description: "The replacement, an available model." },
      },
    },
    reply: { status: 200, description: "The deprecated model.", json: modelSchema },
    async run(call) {
      const id = call.param("id");
      await platform.catalog.updateModel(id, () => {
        const { model, declared, state } = readMove(call, findOwnModel, platform);
        const what = { before: describeModel(declared, model.state), after: describeModel(declared, state) };
        const change = call.change("model.deprecate", { kind: "model", id }, what);
        return { record: declared, announcement: announcementOf(id, state, change), change };
      });
      return viewModel(findModel(id, call.actor, platform), call.actor, platform);
    },
    preview(call) {
      const { model, state } = readMove(call, findDeclaredModel, platform);
      return previewChange(simulateModelChange(model, { ...model, state }, platform), call, platform);
    },
  });
}

/** The model, and its new state. */
function readMove({ actor, body, param }: ReadOnlyCall<Deprecation>, find: typeof findOwnModel, platform: Platform): ModelMove {
  const { model, declared } = find(param("id"), actor, platform);
  const { id } = model;
  if (model.state.name !== "available") {
    const instead = model.state.name === "deprecated" ? " already; its shutdown date and replacement can be changed" : ", for good";
    throw stateConflict(`The model ${id} is ${model.state.name}${instead}. Only an available model can be deprecated.`);
  }
  const state: Deprecated = {
    name: "deprecated",
    shutdownDate: readShutdownDate(body.shutdown_date, platform.nowMs()),
    replacement: readReplacement(id, body.replacement, platform),
  };
  refuseWhileReplacing(model, platform.catalog.snapshot());
  return { model, declared, state };
}

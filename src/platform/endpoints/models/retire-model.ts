import { operators } from "../../../access/access.ts";
import { problemOfReplacement, type ModelState } from "../../../models/catalog.ts";
import { operation, type ReadOnlyCall, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { previewChange } from "../../preview/change-preview.ts";
import { simulateModelChange } from "../../preview/simulate-model-change.ts";
import { announcementOf } from "./announcement-of.ts";
import { findDeclaredModel, findModel, findOwnModel } from "./find-model.ts";
import { stateConflict, refuseWhileFallback, refuseWhileReplacing, type ModelMove } from "./state-transitions.ts";
import { describeModel, modelSchema, viewModel } from "./model-view.ts";

/** POST /api/models/:id/retire: retires a model permanently, from the next request on. Requests in flight finish. */
export function retireModel(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/models/:id/retire",
    access: operators("models:write"),
    operationId: "retireModel",
    summary: "Retire a deprecated model permanently. Its replacement must be available.",
    reply: { status: 200, description: "The retired model.", json: modelSchema },
    async run(call) {
      const id = call.param("id");
      await platform.catalog.updateModel(id, () => {
        const { model, declared, state } = readMove(call, findOwnModel, platform);
        const what = { before: describeModel(declared, model.state), after: describeModel(declared, state) };
        const change = call.change("model.retire", { kind: "model", id }, what);
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
function readMove({ actor, param }: ReadOnlyCall, find: typeof findOwnModel, platform: Platform): ModelMove {
  const { model, declared } = find(param("id"), actor, platform);
  const { id } = model;
  const { replacement } = requireDeprecated(id, model.state);
  const problem = problemOfReplacement(id, replacement, platform.catalog.snapshot(), platform.nowMs());
  if (problem !== undefined)
    throw stateConflict(`The model ${id} cannot be retired: its replacement ${problem}. Set another replacement first.`);
  refuseWhileReplacing(model, platform.catalog.snapshot());
  refuseWhileFallback(model, platform.catalog.snapshot());
  return { model, declared, state: { name: "retired", replacement } };
}

function requireDeprecated(id: string, state: ModelState): Extract<ModelState, { name: "deprecated" }> {
  if (state.name === "deprecated") return state;
  if (state.name === "retired") throw stateConflict(`The model ${id} is already retired.`);
  throw stateConflict(`The model ${id} is available. Deprecate it first, with a shutdown date and a replacement.`);
}

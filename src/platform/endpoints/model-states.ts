import {
  type Announcement,
  type ModelState,
  fallingBackTo,
  problemOfDay,
  problemOfReplacement,
  type Catalog,
  type Model,
} from "../../models/catalog.ts";
import type { Change } from "../../access/change.ts";
import type { DeclaredModel } from "../../models/declared-model.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { Platform } from "../platform.ts";
import { refuseField } from "./fields.ts";
import { operators } from "../../access/access.ts";
import { operation, type ReadOnlyCall, type Operation } from "../operation.ts";
import { previewChange } from "../preview/change-preview.ts";
import { simulateModelChange } from "../preview/simulate-model-change.ts";
import { findDeclaredModel, findModel, findOwnModel } from "./find-resource.ts";
import { describeModel, modelSchema, viewModel } from "./model-view.ts";
import { daySchema } from "../../lib/schema/text-schema.ts";

/** The announcement of a model's new state. */
export function announcementOf(model: string, state: ModelState, { atMs, actor, actorName }: Change): Announcement {
  return { model, state, atMs, actor, actorName };
}

export type DeprecatedState = Extract<ModelState, { name: "deprecated" }>;

/** A state transition that has passed all checks. */
interface ModelTransition {
  readonly model: Model;
  readonly declared: DeclaredModel;
  readonly state: ModelState;
}

export function stateConflict(message: string): ApiError {
  return new ApiError("state_conflict", message);
}

/** A valid shutdown date: a calendar day that has not ended in UTC. */
export function readShutdownDate(day: string, nowMs: number): string {
  const problem = problemOfDay(day, nowMs);
  return problem === undefined ? day : refuseField(["shutdown_date"], problem);
}

/** A valid replacement for another model. */
export function readReplacement(modelId: string, replacement: string, { catalog, nowMs }: Platform): string {
  const problem = problemOfReplacement(modelId, replacement, catalog.snapshot(), nowMs());
  return problem === undefined ? replacement : refuseField(["replacement"], problem);
}

/**
 * A model that is the replacement of others cannot be deprecated or retired: callers who have followed that advice would have to migrate
 * again, and the other models could not be retired.
 */
function refuseWhileReplacing({ id }: Model, catalog: Catalog): void {
  const others = [...catalog.values()].filter(({ state }) => state.name === "deprecated" && state.replacement === id);
  if (others.length === 0) return;
  const names = others.map((model) => model.id).join(", ");
  throw stateConflict(
    `The model ${id} is the replacement of ${names}. Set another replacement for ${others.length === 1 ? "it" : "them"} first.`,
  );
}

/** A model that others fall back to cannot be retired: it would no longer serve their requests. */
function refuseWhileFallback({ id }: Model, catalog: Catalog): void {
  const others = fallingBackTo(id, catalog);
  if (others.length === 0) return;
  throw stateConflict(`The model ${id} is a fallback of ${others.join(", ")}. Remove it from fallback_models there first.`);
}

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
        const { model, declared, state } = readDeprecation(call, findOwnModel, platform);
        const what = { before: describeModel(declared, model.state), after: describeModel(declared, state) };
        const change = call.change("model.deprecate", { kind: "model", id }, what);
        return { record: declared, announcement: announcementOf(id, state, change), change };
      });
      return viewModel(findModel(id, call.actor, platform), call.actor, platform);
    },
    preview(call) {
      const { model, state } = readDeprecation(call, findDeclaredModel, platform);
      return previewChange(simulateModelChange(model, { ...model, state }, platform), call, platform);
    },
  });
}

/** The model, and its new state. */
function readDeprecation(
  { actor, body, param }: ReadOnlyCall<Deprecation>,
  find: typeof findOwnModel,
  platform: Platform,
): ModelTransition {
  const { model, declared } = find(param("id"), actor, platform);
  const { id } = model;
  if (model.state.name !== "available") {
    const instead = model.state.name === "deprecated" ? " already; its shutdown date and replacement can be changed" : ", for good";
    throw stateConflict(`The model ${id} is ${model.state.name}${instead}. Only an available model can be deprecated.`);
  }
  const state: DeprecatedState = {
    name: "deprecated",
    shutdownDate: readShutdownDate(body.shutdown_date, platform.nowMs()),
    replacement: readReplacement(id, body.replacement, platform),
  };
  refuseWhileReplacing(model, platform.catalog.snapshot());
  return { model, declared, state };
}

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
        const { model, declared, state } = readRetirement(call, findOwnModel, platform);
        const what = { before: describeModel(declared, model.state), after: describeModel(declared, state) };
        const change = call.change("model.retire", { kind: "model", id }, what);
        return { record: declared, announcement: announcementOf(id, state, change), change };
      });
      return viewModel(findModel(id, call.actor, platform), call.actor, platform);
    },
    preview(call) {
      const { model, state } = readRetirement(call, findDeclaredModel, platform);
      return previewChange(simulateModelChange(model, { ...model, state }, platform), call, platform);
    },
  });
}

/** The model, and its new state. */
function readRetirement({ actor, param }: ReadOnlyCall, find: typeof findOwnModel, platform: Platform): ModelTransition {
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

import type { Infer } from "../../../lib/schema/infer.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operators } from "../../../access/access.ts";
import type { Model } from "../../../models/catalog.ts";
import { daySchema, type DeclaredModel } from "../../../models/declared-model.ts";
import { hideHeaders, keepHeaders } from "../../../models/headers/route-headers.ts";
import { withoutNulls } from "../../../lib/schema/without-nulls.ts";
import { operation, type ReadOnlyCall, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { previewChange } from "../../preview/change-preview.ts";
import { simulateModelChange } from "../../preview/simulate-model-change.ts";
import { refuseField } from "../fields/refuse-field.ts";
import { announcementOf } from "./announcement-of.ts";
import { checkDeclared } from "./create-model.ts";
import { findDeclaredModel, findModel, findOwnModel } from "./find-model.ts";
import { modelFields } from "./model-fields.ts";
import { stateConflict, readReplacement, readShutdownDate, type Deprecated } from "./state-transitions.ts";
import { describeModel, modelSchema, viewModel } from "./model-view.ts";
import { since } from "../fields/since.ts";
import { viewTime } from "../fields/times.ts";
import { pricingIn } from "./price-changes.ts";

const requestSchema = {
  title: "UpdateModelRequest",
  type: "object",
  additionalProperties: false,
  properties: {
    ...modelFields,
    shutdown_date: { ...daySchema, description: "The shutdown date of a deprecated model. A change is announced." },
    replacement: { type: "string", minLength: 1, description: "The replacement of a deprecated model. A change is announced." },
    archived: { type: "boolean", description: "Whether it is archived: hidden from lists. Only a retired model can be archived." },
  },
} as const satisfies Schema;

type ModelChanges = Infer<typeof requestSchema>;

/** PATCH /api/models/:id: updates the given fields. Takes effect with the next request. */
export function updateModel(platform: Platform): Operation {
  return operation({
    method: "PATCH",
    path: "/api/models/:id",
    access: operators("models:write"),
    operationId: "updateModel",
    summary: "Update a model. Only the given fields change. Past ledger entries keep their price version.",
    body: requestSchema,
    reply: { status: 200, description: "The updated model.", json: modelSchema },
    async run(call) {
      const id = call.param("id");
      await platform.catalog.updateModel(id, () => {
        const { model, declared, changed, news } = readChange(call, findOwnModel, platform);
        const archivedBeforeMs = platform.catalog.archivedAtMs(id);
        const archivedAtMs = since(call.body.archived, archivedBeforeMs, platform.nowMs());
        const what = {
          before: { ...describeModel(declared, model.state), archived_at: viewTime(archivedBeforeMs) },
          after: { ...describeModel(changed, news ?? model.state), archived_at: viewTime(archivedAtMs) },
        };
        const change = call.change("model.update", { kind: "model", id }, what);
        return { record: changed, announcement: news && announcementOf(id, news, change), archivedAtMs, change };
      });
      return viewModel(findModel(id, call.actor, platform), call.actor, platform);
    },
    preview(call) {
      const { model, changed, news } = readChange(call, findDeclaredModel, platform);
      const after = platform.catalog.previewModel(changed, news ?? model.state);
      return previewChange(simulateModelChange(model, after, platform), call, platform);
    },
  });
}

interface ModelChange {
  readonly model: Model;
  readonly declared: DeclaredModel;
  readonly changed: DeclaredModel;
  /** The new announcement, if there is one. */
  readonly news: Deprecated | undefined;
}

/** The model before and after the update. */
function readChange({ actor, body, param }: ReadOnlyCall<ModelChanges>, find: typeof findOwnModel, platform: Platform): ModelChange {
  const { model, declared } = find(param("id"), actor, platform);
  const { id, state } = model;
  const { shutdown_date: shutdownDate, replacement, archived, ...changes } = body;
  if (archived && state.name !== "retired") throw stateConflict(`The model ${id} is ${state.name}. Only a retired model can be archived.`);
  if (state.name === "retired") {
    if (archived !== undefined && Object.keys(body).length === 1) return { model, declared, changed: declared, news: undefined };
    throw stateConflict(`The model ${id} is retired and can no longer be changed.`);
  }
  const news = shutdownDate === undefined && replacement === undefined ? undefined : announcedAnew(model, body, platform);
  const changed = changeDeclared(declared, changes);
  checkDeclared(changed, news ?? state, platform);
  return { model, declared, changed, news };
}

/**
 * Given fields replace, missing fields stay, and null clears, also for each timeout and each header of a route. Any of the three ways to declare a price replaces
 * the whole price.
 */
function changeDeclared(declared: DeclaredModel, changes: Omit<ModelChanges, "shutdown_date" | "replacement" | "archived">): DeclaredModel {
  const { free: _free, price: _price, prices: _prices, ...rest } = declared;
  const isPriced = Object.keys(pricingIn(changes)).length > 0;
  const timeouts = changes.timeouts && { timeouts: { ...declared.timeouts, ...changes.timeouts } };
  const routes = changes.routes && { routes: keepHeaders(changes.routes, declared.routes, refuseField) };
  const priced = isPriced ? {} : pricingIn(declared);
  return hideHeaders(withoutNulls({ ...rest, ...priced, ...changes, ...timeouts, ...routes }));
}

/** The state of a deprecated model with another shutdown date or replacement. */
function announcedAnew({ id, state }: Model, { shutdown_date: day, replacement }: ModelChanges, platform: Platform): Deprecated {
  if (state.name !== "deprecated") {
    throw stateConflict(`The model ${id} is ${state.name}. Only a deprecated model has a shutdown date and a replacement.`);
  }
  return {
    name: "deprecated",
    shutdownDate: day === undefined ? state.shutdownDate : readShutdownDate(day, platform.nowMs()),
    replacement: replacement === undefined ? state.replacement : readReplacement(id, replacement, platform),
  };
}

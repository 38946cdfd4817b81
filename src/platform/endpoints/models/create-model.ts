import { operators } from "../../../access/access.ts";
import { knownModel, problemOfMove, type ModelState } from "../../../models/catalog.ts";
import { checkAccounts, checkWildcard, modelIdSchema, toModel, type DeclaredModel } from "../../../models/declared-model.ts";
import { fallbackIdsIn, problemOfFallback } from "../../../models/fallbacks.ts";
import { hideHeaders } from "../../../models/headers/route-headers.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { checkRoutes } from "../../../requests/routes/check-routes.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { withoutNulls } from "../../../lib/schema/without-nulls.ts";
import { operation, type Call, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { refuseField } from "../fields/refuse-field.ts";
import { announcementOf } from "./announcement-of.ts";
import { findModel } from "./find-model.ts";
import { modelFields } from "./model-fields.ts";
import { stateConflict } from "./state-transitions.ts";
import { describeModel, modelSchema, viewModel } from "./model-view.ts";

const requestSchema = {
  title: "CreateModelRequest",
  type: "object",
  additionalProperties: false,
  required: ["id", "routes"],
  properties: { id: modelIdSchema, ...modelFields },
} as const satisfies Schema;

const AVAILABLE: ModelState = { name: "available" };

/** POST /api/models: creates a model, which can be called from now on. */
export function createModel(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/models",
    access: operators("models:write"),
    operationId: "createModel",
    summary: "Create a model. It can be called from the next request on, and is announced.",
    body: requestSchema,
    reply: { status: 201, description: "The model.", json: modelSchema },
    run: (call) => addModel(hideHeaders(withoutNulls(call.body)), call, platform),
    showCreated: (id, { actor }) => viewModel(findModel(id, actor, platform), actor, platform),
  });
}

/** Adds an operator's model, in the state `available`. */
export async function addModel(declared: DeclaredModel, { actor, change }: Pick<Call, "actor" | "change">, platform: Platform) {
  const { id } = declared;
  await platform.catalog.updateModel(id, () => {
    refuseTaken(id, platform);
    checkDeclared(declared, AVAILABLE, platform);
    const made = change("model.create", { kind: "model", id }, { before: null, after: describeModel(declared, AVAILABLE) });
    return { record: declared, announcement: announcementOf(id, AVAILABLE, made), change: made };
  });
  return viewModel(findModel(id, actor, platform), actor, platform);
}

/** Checks beyond the schema: whether the prices are valid, the accounts, upstreams and fallbacks exist, and the upstreams support the settings of their routes. */
export function checkDeclared(declared: DeclaredModel, state: ModelState, { accounts, catalog }: Platform): void {
  checkWildcard(declared, refuseField);
  checkAccounts(declared, (id) => accounts.find(id) !== undefined, refuseField);
  const model = toModel(declared, { createdSeconds: 0, state, defaultPrices: () => [] }, refuseField);
  const checkUpstream = (upstream: string, path: readonly (string | number)[]): void => {
    if (!catalog.upstreams().has(upstream)) refuseField(path, `names ${JSON.stringify(upstream)}, which is not an upstream`);
  };
  declared.routes.forEach(({ upstream }, at) => checkUpstream(upstream, ["routes", at, "upstream"]));
  if (declared.mirror) checkUpstream(declared.mirror.upstream, ["mirror", "upstream"]);
  checkRoutes(model, (id) => catalog.upstreams().get(id), refuseField);
  fallbackIdsIn(declared.fallback_models).forEach((fallback, at) => {
    const problem = problemOfFallback(declared.id, fallback, (id) => knownModel(id, catalog.snapshot()));
    if (problem !== undefined) refuseField(["fallback_models", at], problem);
  });
}

/** An operator's model replaces a discovered one, or one that a wildcard model stands for, and no other. The id of a retired model is never reused. */
function refuseTaken(id: string, { catalog }: Platform): void {
  const there = catalog.snapshot().get(id);
  if (there && there.expandedFrom === undefined && catalog.originOfModel(id) !== "environment") {
    const isRetired = there.state.name === "retired";
    const why = isRetired ? `There was a model ${id}. It was retired, and its id is not used again.` : `The model ${id} already exists.`;
    throw new ApiError("already_exists", why, { param: "id" });
  }
  const earlier = catalog.lastAnnouncement(id);
  const problem = earlier && problemOfMove(earlier.state, AVAILABLE);
  if (problem !== undefined) throw stateConflict(`The model ${id} existed before, and it ${problem}.`);
}

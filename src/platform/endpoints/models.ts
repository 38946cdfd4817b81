import { operators, members, accountFilter } from "../../access/access.ts";
import {
  knownModel,
  MODEL_KINDS,
  problemOfStateChange,
  type ModelState,
  type Model,
  fallingBackTo,
  type Mirror,
} from "../../models/catalog.ts";
import { checkAccounts, checkWildcard, modelIdSchema, toModel, type DeclaredModel } from "../../models/declared-model.ts";
import { fallbackIdsIn, problemOfFallback } from "../../models/fallbacks.ts";
import { redactHeaders, keepHeaders } from "../../models/headers/route-headers.ts";
import { ApiError } from "../../requests/api-error.ts";
import { checkRoutes } from "../../requests/routes/check-routes.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { withoutNulls } from "../../lib/schema/without-nulls.ts";
import { operation, type Call, type Operation, type ReadOnlyCall } from "../operation.ts";
import type { Platform } from "../platform.ts";
import { refuseField, nextStateTimestamp, viewTime, refuseCharged, refuseReferred, readTime, timeSchema } from "./fields.ts";
import { announcementOf, stateConflict, readReplacement, readShutdownDate, type DeprecatedState } from "./model-states.ts";
import { findModel, callableWith, visibleModels, findDeclaredModel, findOwnModel } from "./find-resource.ts";
import { modelFields } from "./model-fields.ts";
import { describeModel, modelSchema, viewModel, stateSchemas, priceChangeSchema, priceChangesOf, pricingIn } from "./model-view.ts";
import { requireScope } from "../guard.ts";
import { isListed, sortedPage, searchFor, sortedListQuery, sortedListSchema, type SortOrders } from "../sorted-list.ts";
import type { Infer } from "../../lib/schema/infer.ts";
import { previewChange } from "../preview/change-preview.ts";
import { simulateModelChange } from "../preview/simulate-model-change.ts";
import type { ModelUse } from "../../stores/last-used/last-used-store.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../paging.ts";
import { isWildcard } from "../../models/model-id.ts";
import { summarizeMirror, type MirrorResult } from "../../requests/mirror-result.ts";
import { daySchema } from "../../lib/schema/text-schema.ts";

const createRequest = {
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
    body: createRequest,
    reply: { status: 201, description: "The model.", json: modelSchema },
    run: (call) => addModel(redactHeaders(withoutNulls(call.body)), call, platform),
    showCreated: (id, { actor }) => viewModel(findModel(id, actor, platform), actor, platform),
  });
}

/** Adds an operator's model, in the state `available`. */
async function addModel(declared: DeclaredModel, { actor, change }: Pick<Call, "actor" | "change">, platform: Platform) {
  const { id } = declared;
  await platform.catalog.updateModel(id, () => {
    refuseTaken(id, platform);
    checkDeclared(declared, AVAILABLE, platform);
    const made = change("model.create", { kind: "model", id }, { before: null, after: describeModel(declared, AVAILABLE) });
    return { record: declared, announcement: announcementOf(id, AVAILABLE, made), change: made };
  });
  return viewModel(findModel(id, actor, platform), actor, platform);
}

/**
 * Checks beyond the schema: the prices are valid; the accounts, upstreams and fallbacks exist; and the upstreams support the settings of
 * their routes.
 */
function checkDeclared(declared: DeclaredModel, state: ModelState, { accounts, catalog }: Platform): void {
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

/**
 * An operator's model can replace only a discovered model, or a model expanded from a wildcard model. The ID of a retired model is never
 * reused.
 */
function refuseTaken(id: string, { catalog }: Platform): void {
  const there = catalog.snapshot().get(id);
  if (there && there.expandedFrom === undefined && catalog.originOfModel(id) !== "environment") {
    const isRetired = there.state.name === "retired";
    const why = isRetired ? `There was a model ${id}. It was retired, and its id is not used again.` : `The model ${id} already exists.`;
    throw new ApiError("already_exists", why, { param: "id" });
  }
  const earlier = catalog.lastAnnouncement(id);
  const problem = earlier && problemOfStateChange(earlier.state, AVAILABLE);
  if (problem !== undefined) throw stateConflict(`The model ${id} existed before, and it ${problem}.`);
}

const SORTS: SortOrders<Model> = {
  id: { valueOf: ({ id }) => id, direction: "asc" },
  owned_by: { valueOf: ({ ownedBy }) => ownedBy.toLowerCase(), direction: "asc" },
  created: { valueOf: ({ createdSeconds }) => createdSeconds, direction: "desc" },
};

/** GET /api/models: a page of models by id. Members see the models that their account may call. */
export function listModels(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/models",
    access: members("models:read"),
    operationId: "listModels",
    summary: "List models, by id by default",
    query: {
      search: { type: "string", minLength: 1, maxLength: 100, description: "Models whose id or owner contains this text." },
      state: { ...stateSchemas.state, description: "Models in this state." },
      kind: { type: "string", enum: MODEL_KINDS, description: "Models of this kind." },
      key: { type: "string", description: "Models that this key may call. An access token also needs the scope `keys:read`." },
      ...sortedListQuery("models", Object.keys(SORTS)),
    },
    reply: { status: 200, description: "A page of models.", json: sortedListSchema("ModelPage", modelSchema) },
    run({ actor, query, cursors }) {
      // Requires the scope, because it reveals which keys exist and what each may call.
      if (query.key !== undefined) requireScope(actor, "keys:read");
      const hasText = searchFor(query.search);
      const isCallable = callableWith(query.key, actor, platform);
      return sortedPage(query, cursors, {
        items: visibleModels(actor, platform),
        isMatch: (model) =>
          isListed(query, platform.catalog.archivedAtMs(model.id)) &&
          (query.state === undefined || query.state === model.state.name) &&
          (query.kind === undefined || query.kind === model.kind) &&
          isCallable(model) &&
          hasText(model.id, model.ownedBy),
        sorts: SORTS,
        viewer: () => (model) => viewModel(model, actor, platform),
      });
    },
  });
}

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

const updateRequest = {
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

type ModelChanges = Infer<typeof updateRequest>;

/** PATCH /api/models/:id: updates the given fields. Takes effect with the next request. */
export function updateModel(platform: Platform): Operation {
  return operation({
    method: "PATCH",
    path: "/api/models/:id",
    access: operators("models:write"),
    operationId: "updateModel",
    summary: "Update a model. Only the given fields change. Past ledger entries keep their price version.",
    body: updateRequest,
    reply: { status: 200, description: "The updated model.", json: modelSchema },
    async run(call) {
      const id = call.param("id");
      await platform.catalog.updateModel(id, () => {
        const { model, declared, changed, news } = readChange(call, findOwnModel, platform);
        const archivedBeforeMs = platform.catalog.archivedAtMs(id);
        const archivedAtMs = nextStateTimestamp(call.body.archived, archivedBeforeMs, platform.nowMs());
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
  readonly news: DeprecatedState | undefined;
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
 * Given fields replace, missing fields stay, and null clears. The same applies to each timeout and each header of a route. Each of the
 * three ways to declare a price replaces the whole price.
 */
function changeDeclared(declared: DeclaredModel, changes: Omit<ModelChanges, "shutdown_date" | "replacement" | "archived">): DeclaredModel {
  const { free: _free, price: _price, prices: _prices, ...rest } = declared;
  const isPriced = Object.keys(pricingIn(changes)).length > 0;
  const timeouts = changes.timeouts && { timeouts: { ...declared.timeouts, ...changes.timeouts } };
  const routes = changes.routes && { routes: keepHeaders(changes.routes, declared.routes, refuseField) };
  const priced = isPriced ? {} : pricingIn(declared);
  return redactHeaders(withoutNulls({ ...rest, ...priced, ...changes, ...timeouts, ...routes }));
}

/** The state of a deprecated model with another shutdown date or replacement. */
function announcedAnew({ id, state }: Model, { shutdown_date: day, replacement }: ModelChanges, platform: Platform): DeprecatedState {
  if (state.name !== "deprecated") {
    throw stateConflict(`The model ${id} is ${state.name}. Only a deprecated model has a shutdown date and a replacement.`);
  }
  return {
    name: "deprecated",
    shutdownDate: day === undefined ? state.shutdownDate : readShutdownDate(day, platform.nowMs()),
    replacement: replacement === undefined ? state.replacement : readReplacement(id, replacement, platform),
  };
}

/** POST /api/models/:id/clone: creates a model with the settings of another model, under a new ID. */
export function cloneModel(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/models/:id/clone",
    access: operators("models:write"),
    operationId: "cloneModel",
    summary:
      "Create a model with the routes, prices and settings of another, including one in the config file. It is available, and is announced.",
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

/**
 * DELETE /api/models/:id: removes a model that was never called, for example because its ID was mistyped. A model that was called is
 * deprecated and retired instead.
 */
export function removeModel(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/models/:id",
    access: operators("models:write"),
    operationId: "removeModel",
    summary: "Remove a model that was never called and that nothing names. Its announcements stay.",
    reply: { status: 200, description: "The removed model.", json: modelSchema },
    async run({ actor, param, change }) {
      const id = param("id");
      findOwnModel(id, actor, platform);
      await refuseCalled(id, platform);
      const { removed } = await platform.catalog.removeModel(id, () => {
        const { model, declared } = findOwnModel(id, actor, platform);
        refuseReferred(`The model ${id}`, referencesTo(id, platform), "Change them first.");
        const what = { before: describeModel(declared, model.state), after: null };
        return { removed: viewModel(model, actor, platform), change: change("model.remove", { kind: "model", id }, what) };
      });
      return removed;
    },
  });
}

async function refuseCalled(id: string, platform: Platform): Promise<void> {
  await refuseCharged(`The model ${id}`, { model: id }, platform);
  const [use] = await platform.lastUsed.keysUsing(id, { sinceMs: 0, accountIds: [] }, undefined, 1);
  if (!use) return;
  throw new ApiError(
    "still_in_use",
    `The model ${id} cannot be removed: the key ${use.keyId} has called it. Deprecate and retire it instead.`,
  );
}

/** Resources that refer to the model by its ID. Patterns such as `gpt-*` do not count. */
function referencesTo(id: string, { accounts, catalog, keys }: Platform): Readonly<Record<string, readonly string[]>> {
  const names = (models: readonly string[] | undefined): boolean => models?.includes(id) ?? false;
  const replaced = [...catalog.snapshot().values()].filter(({ state }) => state.name !== "available" && state.replacement === id);
  return {
    "the keys": keys.ids().filter((key) => names(keys.find(key)?.models)),
    "the accounts": accounts.ids().filter((account) => names(accounts.find(account)?.models)),
    "the price lists": [...catalog.priceLists().values()].filter(({ prices }) => prices.has(id)).map((list) => list.id),
    "the models that it replaces": replaced.map((model) => model.id),
    "the models that fall back to it": fallingBackTo(id, catalog.snapshot()),
  };
}

const DEFAULT_USE_MS = 30 * 24 * 60 * 60 * 1000;

const modelKeySchema = {
  title: "ModelKey",
  type: "object",
  required: ["key", "name", "account", "last_used_at", "requests"],
  properties: {
    key: { type: "string", description: "The id of the key." },
    name: { type: "string" },
    account: { type: "string" },
    last_used_at: timeSchema,
    requests: { type: "integer", description: "Total number of requests for this model." },
  },
} as const satisfies Schema;

/** GET /api/models/:id/keys: the keys that still use a model, to see who is affected by its retirement. */
export function listModelKeys(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/models/:id/keys",
    access: members("keys:read"),
    operationId: "listModelKeys",
    summary: "List the keys that still use a model, by id",
    query: {
      account: { type: "string", description: "Keys of one account." },
      since: { type: "string", description: "Keys that have used the model since this time. Default: 30 days ago." },
      ...pageQuery,
    },
    reply: { status: 200, description: "A page of keys.", json: pageSchema("ModelKeyPage", modelKeySchema) },
    async run({ actor, query, cursors, param }) {
      const { limit, after } = readPage(query, cursors, ["string"]);
      const model = findModel(param("id"), actor, platform);
      const sinceMs = query.since === undefined ? platform.nowMs() - DEFAULT_USE_MS : readTime(query.since, "since");
      const accountIds = accountFilter(actor, query.account);
      const uses = await platform.lastUsed.keysUsing(model.id, { sinceMs, accountIds }, after?.[0], limit + 1);
      return toPage(
        cursors,
        uses,
        limit,
        (use) => viewModelKey(use, platform),
        ({ keyId }) => [keyId],
      );
    },
  });
}

function viewModelKey({ keyId, lastUsedAtMs, requests }: ModelUse, { keys }: Platform) {
  const { name, accountId } = keys.find(keyId)!;
  return { key: keyId, name, account: accountId, last_used_at: viewTime(lastUsedAtMs), requests };
}

const DEFAULT_MIRROR_REPORT_MS = 24 * 60 * 60 * 1000;

/** At most about 20 MB of results are read. */
const MAX_RESULTS = 20_000;

const ratio = { type: "number", nullable: true } as const satisfies Schema;

const reportSchema = {
  title: "MirrorReport",
  type: "object",
  required: [
    "model",
    "since",
    "requests",
    "same_status",
    "finished",
    "same_finish_reason",
    "prompt_token_ratio",
    "completion_token_ratio",
    "first_byte_ratio",
    "duration_ratio",
  ],
  properties: {
    model: { type: "string" },
    since: timeSchema,
    requests: {
      type: "integer",
      description: `The number of requests that the model's present mirror has received, among the newest ${MAX_RESULTS.toLocaleString("en")} mirrored ones. Without a mirror: the requests of all earlier mirrors.`,
    },
    same_status: { type: "integer", description: "Compared requests whose responses have the same status." },
    finished: { type: "integer", description: "Compared requests with a finish reason in either response." },
    same_finish_reason: { type: "integer", description: "Of these, requests whose responses have the same finish reason." },
    prompt_token_ratio: {
      ...ratio,
      description: "The median of the mirror's prompt tokens divided by the caller's; null if none have both.",
    },
    completion_token_ratio: { ...ratio, description: "The same for completion tokens." },
    first_byte_ratio: { ...ratio, description: "The same for the time to first byte of streams." },
    duration_ratio: { ...ratio, description: "The same for the duration, if both responses have the status 200." },
  },
} as const satisfies Schema;

/** GET /api/models/:id/mirror: compares the mirror of a model with the responses of its callers. */
export function showMirrorReport(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/models/:id/mirror",
    access: operators("usage:read"),
    operationId: "showMirrorReport",
    summary: "Compare a mirror's responses with the responses that callers received",
    query: { since: { type: "string", description: "Requests since this time. Default: 24 hours ago." } },
    reply: { status: 200, description: "The comparison.", json: reportSchema },
    async run({ actor, query, param }) {
      const { id, mirror } = findModel(param("id"), actor, platform);
      if (isWildcard(id)) throw wildcardRefused(id);
      const sinceMs = query.since === undefined ? platform.nowMs() - DEFAULT_MIRROR_REPORT_MS : readTime(query.since, "since");
      const results = await platform.reportLimit.run(actor, "request scan", () =>
        platform.requestLog.mirrorResults(id, sinceMs, MAX_RESULTS),
      );
      const summary = summarizeMirror(results.filter((result) => isOf(result, mirror)));
      return {
        model: id,
        since: viewTime(sinceMs),
        requests: summary.requests,
        same_status: summary.sameStatus,
        finished: summary.finished,
        same_finish_reason: summary.sameFinishReason,
        prompt_token_ratio: summary.promptTokenRatio,
        completion_token_ratio: summary.completionTokenRatio,
        first_byte_ratio: summary.firstByteRatio,
        duration_ratio: summary.durationRatio,
      };
    },
  });
}

function wildcardRefused(id: string): ApiError {
  return new ApiError("invalid_value", `${id} is a wildcard model. Compare one of the models that it stands for.`, { param: "id" });
}

/**
 * If route and mirror were swapped, earlier results compare them in the opposite direction. If the model has no mirror any more, all
 * results count.
 */
function isOf({ upstream, upstreamModel }: MirrorResult, mirror: Mirror | undefined): boolean {
  return mirror === undefined || (upstream === mirror.upstream && upstreamModel === mirror.upstreamModel);
}

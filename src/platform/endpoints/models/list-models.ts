import { members } from "../../../access/access.ts";
import { requireScope } from "../../guard.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage, type PageQuery } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { callableWith, visibleModels } from "./find-model.ts";
import { modelSchema, stateSchemas, viewModel } from "./model-view.ts";

interface ModelQuery extends PageQuery {
  readonly search?: string;
  readonly state?: string;
  readonly key?: string;
}

/** GET /api/models: a page of models by id. Members see the models that their account may call. */
export function listModels(platform: Platform): Operation {
  return operation<undefined, ModelQuery>({
    method: "GET",
    path: "/api/models",
    access: members("models:read"),
    operationId: "listModels",
    summary: "List models by id",
    query: {
      search: { type: "string", minLength: 1, maxLength: 100, description: "Models whose id or owner contains this text." },
      state: { ...stateSchemas.state, description: "Models in this state." },
      key: { type: "string", description: "Models that this key may call. An access token also needs the scope `keys:read`." },
      ...pageQuery,
    },
    reply: { status: 200, description: "A page of models.", json: pageSchema("ModelPage", modelSchema) },
    run({ actor, query, cursors }) {
      // Requires the scope, because it reveals which keys exist and what each may call.
      if (query.key !== undefined) requireScope(actor, "keys:read");
      const { limit, after } = readPage(query, cursors, ["string"]);
      const search = query.search?.toLowerCase() ?? "";
      const models = visibleModels(actor, platform)
        .filter(({ id, state }) => (after === undefined || id > after[0]) && (query.state ?? state.name) === state.name)
        .filter(callableWith(query.key, actor, platform))
        .filter(({ id, ownedBy }) => id.toLowerCase().includes(search) || ownedBy.toLowerCase().includes(search))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1));
      return toPage(
        cursors,
        models,
        limit,
        (model) => viewModel(model, actor, platform),
        ({ id }) => [id],
      );
    },
  });
}

import { members } from "../../../access/access.ts";
import type { Model } from "../../../models/catalog.ts";
import { requireScope } from "../../guard.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { isListed, sortedPage, searchFor, sortedListQuery, sortedListSchema, type SortOrders } from "../../sorted-list.ts";
import { callableWith, visibleModels } from "./find-model.ts";
import { modelSchema, stateSchemas, viewModel } from "./model-view.ts";

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
    summary: "List models, by id unless another order is asked for",
    query: {
      search: { type: "string", minLength: 1, maxLength: 100, description: "Models whose id or owner contains this text." },
      state: { ...stateSchemas.state, description: "Models in this state." },
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
          isCallable(model) &&
          hasText(model.id, model.ownedBy),
        sorts: SORTS,
        viewer: () => (model) => viewModel(model, actor, platform),
      });
    },
  });
}

import { operators } from "../../../access/access.ts";
import { fallingBackTo } from "../../../models/catalog.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { refuseCharged, refuseReferred } from "../fields/refuse-referred.ts";
import { findOwnModel } from "./find-model.ts";
import { describeModel, modelSchema, viewModel } from "./model-view.ts";

/**
 * DELETE /api/models/:id: removes a model that was never called, such as one with a mistyped id. A model that was called is deprecated and
 * retired instead.
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

/** What names the model by its id. Patterns such as `gpt-*` name no model. */
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

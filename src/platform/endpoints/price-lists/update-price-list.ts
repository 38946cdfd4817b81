import type { Schema } from "../../../lib/schema/schema.ts";
import type { Infer } from "../../../lib/schema/infer.ts";
import { operators } from "../../../access/access.ts";
import { priceListFields, toPriceList, viewPriceList, type DeclaredPriceList } from "../../../models/prices/declared-price-list.ts";
import type { PriceList } from "../../../models/prices/price-list.ts";
import { withoutNulls } from "../../../lib/schema/without-nulls.ts";
import { operation, type Operation, type ReadOnlyCall } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { previewChange } from "../../preview/change-preview.ts";
import { simulateListChange } from "../../preview/simulate-list-change.ts";
import { refuseField } from "../fields/refuse-field.ts";
import { accountsWith, findOwnPriceList } from "./find-price-list.ts";
import { priceListSchema, viewListed } from "./price-list-view.ts";

const requestSchema = {
  title: "UpdatePriceListRequest",
  type: "object",
  additionalProperties: false,
  properties: {
    ...priceListFields,
    models: { ...priceListFields.models, description: `${priceListFields.models.description} All of them are replaced.` },
    set_models: {
      ...priceListFields.models,
      additionalProperties: { ...priceListFields.models.additionalProperties, title: "SetModelInput", nullable: true },
      description:
        "Its own prices of these models, beside those of other models. Null removes the price of a model. Not together with `models`.",
    },
  },
} as const satisfies Schema;

type PriceListChanges = Infer<typeof requestSchema>;

/** PATCH /api/price-lists/:id: updates the given fields. Takes effect with the next request, or at the dates in it. */
export function updatePriceList(platform: Platform): Operation {
  return operation({
    method: "PATCH",
    path: "/api/price-lists/:id",
    access: operators("models:write"),
    operationId: "updatePriceList",
    summary: "Update a price list. Only the given fields change. Past ledger entries keep their price version.",
    body: requestSchema,
    reply: { status: 200, description: "The updated price list.", json: priceListSchema },
    async run(call) {
      const id = call.param("id");
      await platform.catalog.updatePriceList(id, () => {
        const { before, after, declared } = readChange(call, platform);
        const what = { before: viewPriceList(before), after: viewPriceList(after) };
        return { record: declared, change: call.change("price_list.update", { kind: "price_list", id }, what) };
      });
      return viewListed(findOwnPriceList(id, platform), platform);
    },
    preview(call) {
      const { before, after } = readChange(call, platform);
      return previewChange(simulateListChange(before, after, accountsWith(before.id, platform), platform), call, platform);
    },
  });
}

interface ListChange {
  readonly before: PriceList;
  readonly after: PriceList;
  readonly declared: DeclaredPriceList;
}

/** Either way to declare percentages replaces the other. */
function readChange({ body, param }: ReadOnlyCall<PriceListChanges>, platform: Platform): ListChange {
  const before = findOwnPriceList(param("id"), platform);
  const { set_models: set, ...changes } = body;
  if (set && changes.models) refuseField(["set_models"], "does not go with models");
  const { percent, percents, ...rest } = platform.catalog.declaredPriceList(before.id)!;
  const isNew = body.percent !== undefined || body.percents !== undefined;
  const kept = { ...(percent !== undefined && { percent }), ...(percents && { percents }) };
  const models = set && { models: { ...rest.models, ...set } };
  const declared = withoutNulls({ ...rest, ...(isNew ? {} : kept), ...changes, ...models }) as DeclaredPriceList;
  return { before, declared, after: toPriceList(declared, refuseField) };
}

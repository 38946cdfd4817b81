import { namesOf } from "../../lib/schema/infer.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { priceSchema } from "../endpoints/model-view.ts";
import { timeSchema } from "../endpoints/fields.ts";

const dollars = (description: string) => ({ type: "string", description: `${description}, in dollars.` }) as const;

const sumSchemas = {
  requests: { type: "integer", description: "The number of its requests." },
  refused: { type: "integer", description: "The number of its requests that would have been rejected." },
  charged: dollars("The charges for its requests"),
  would_be_charged: dollars("The simulated charges"),
} as const satisfies Record<string, Schema>;

function affectedSchema<const Names extends Readonly<Record<string, Schema>>>(
  title: string,
  itemTitle: string,
  names: Names,
  nouns: string,
) {
  const properties = { ...names, ...sumSchemas };
  return {
    title,
    type: "object",
    required: ["count", "first"],
    properties: {
      count: { type: "integer", description: `The number of affected ${nouns}.` },
      first: {
        type: "array",
        items: { title: itemTitle, type: "object", required: namesOf(properties), properties },
        description: "The most affected, sorted by rejections.",
      },
    },
  } as const satisfies Schema;
}

/** The simulated effect of a change. */
export const changePreviewSchema = {
  title: "ChangePreview",
  type: "object",
  required: [
    "from",
    "to",
    "requests",
    "refused",
    "refused_by",
    "refused_end_users",
    "refused_tag_values",
    "money",
    "keys",
    "models",
    "price",
    "prices_from",
    "replacement",
  ],
  properties: {
    from: timeSchema,
    to: { ...timeSchema, description: "The time of the preview." },
    requests: { type: "integer", description: "The number of admitted requests in the range that the change concerns." },
    refused: { type: "integer", description: "The number of requests that would have been rejected." },
    refused_by: {
      type: "object",
      additionalProperties: { type: "integer" },
      description: "The number of rejections by error code, such as `budget_exceeded`.",
    },
    refused_end_users: {
      type: "integer",
      description: "The number of end users of whom requests would have been rejected by a rate limit or spend cap per end user.",
    },
    refused_tag_values: {
      type: "integer",
      description: "The number of tag values whose requests would have been rejected by a rate limit or spend cap per tag.",
    },
    money: {
      title: "PreviewedMoney",
      type: "object",
      required: ["charged", "would_be_charged", "difference"],
      properties: {
        charged: dollars("The charges for the requests"),
        would_be_charged: dollars("The simulated charges, at the new price and without rejected requests"),
        difference: dollars("The simulated charges minus the actual charges"),
      },
    },
    keys: affectedSchema(
      "PreviewedKeys",
      "PreviewedKey",
      { id: { type: "string" }, name: { type: "string" }, account: { type: "string" } },
      "keys",
    ),
    models: affectedSchema("PreviewedModels", "PreviewedModel", { id: { type: "string" } }, "models"),
    price: { ...priceSchema, nullable: true, title: "PreviewedPrice", description: "The new price; null when it does not change." },
    prices_from: {
      ...timeSchema,
      nullable: true,
      description: "When the new prices take effect, the earliest of them; null when they are in force at once, or when no price changes.",
    },
    replacement: {
      type: "string",
      nullable: true,
      description: "The replacement that clients would have been referred to; null when there is none.",
    },
  },
} as const satisfies Schema;

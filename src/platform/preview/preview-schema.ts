import type { Schema } from "../../lib/schema/schema.ts";
import { priceSchema } from "../endpoints/models/price-view.ts";
import { timeSchema } from "../endpoints/fields/times.ts";

const dollars = (description: string): Schema => ({ type: "string", description: `${description}, in dollars.` });

const sumSchemas = {
  requests: { type: "integer", description: "How many of the requests are its own." },
  refused: { type: "integer", description: "How many of these would have been refused." },
  charged: dollars("What was charged for them"),
  would_be_charged: dollars("What would have been"),
} as const satisfies Record<string, Schema>;

function touchedSchema(title: string, itemTitle: string, names: Readonly<Record<string, Schema>>, nouns: string): Schema {
  const properties = { ...names, ...sumSchemas };
  return {
    title,
    type: "object",
    required: ["count", "first"],
    properties: {
      count: { type: "integer", description: `The ${nouns} for which something would have been otherwise.` },
      first: {
        type: "array",
        items: { title: itemTitle, type: "object", required: Object.keys(properties), properties },
        description: "The first of them, those with the most refusals before the others.",
      },
    },
  };
}

/** What a change would have done. */
export const changePreviewSchema: Schema = {
  title: "ChangePreview",
  type: "object",
  required: ["from", "to", "requests", "refused", "refused_by", "money", "keys", "models", "price", "replacement"],
  properties: {
    from: timeSchema,
    to: { ...timeSchema, description: "When it was asked." },
    requests: { type: "integer", description: "How many requests were let in between the two, of those that the change concerns." },
    refused: { type: "integer", description: "How many of them would have been refused." },
    refused_by: {
      type: "object",
      additionalProperties: { type: "integer" },
      description: "How many of these with which code, such as `budget_exceeded`.",
    },
    money: {
      title: "PreviewedMoney",
      type: "object",
      required: ["charged", "would_be_charged", "difference"],
      properties: {
        charged: dollars("What was charged for the requests"),
        would_be_charged: dollars("What would have been, at the new price and without those that would have been refused"),
        difference: dollars("The second less the first"),
      },
    },
    keys: touchedSchema(
      "PreviewedKeys",
      "PreviewedKey",
      { id: { type: "string" }, name: { type: "string" }, account: { type: "string" } },
      "keys",
    ),
    models: touchedSchema("PreviewedModels", "PreviewedModel", { id: { type: "string" } }, "models"),
    price: { ...priceSchema, nullable: true, title: "PreviewedPrice", description: "The price that the change brings, if it does." },
    replacement: { type: "string", nullable: true, description: "The model that callers would have been told to use instead." },
  },
};

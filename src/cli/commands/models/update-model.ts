import { changeCommand } from "../../change-command.ts";
import { text } from "../../options.ts";
import type { ModelView } from "../../views.ts";
import { MODEL } from "./model-operand.ts";
import { MODEL_OPTIONS, withoutEmptyCache } from "./model-options.ts";
import { describeModel } from "./model-words.ts";

export const updateModel = changeCommand<ModelView>({
  summary: "Changes what is given of a model, from the next request on.",
  details: `A price replaces the one before as a whole, and so do routes and parameters. Receipts keep the price that they were reckoned with. What the config file or
the environment declares cannot be changed here.`,
  examples: [
    "models update fast-chat --route azure/gpt-4o-mini",
    "models update fast-chat --input-price 0.15 --output-price 0.60 --cached-input-price 0.075",
    "models update fast-chat --input-price 0.20 --output-price 0.80 --preview",
    "models update fast-chat --parameter logprobs=drop --cache-ttl 24h --cache-price 10 --total-ms 120000",
    "models update old-chat --shutdown-date 2027-06-30 --replacement fast-chat",
  ],
  operands: [MODEL],
  options: {
    ...MODEL_OPTIONS,
    "shutdown-date": text("shutdown_date", "of a deprecated model: another day, which is announced", "DAY"),
    replacement: text("replacement", "of a deprecated model: another one to use instead, which is announced", "MODEL"),
  },
  call: "PATCH /api/models/{id}",
  complete: withoutEmptyCache,
  print: describeModel,
});

import { required } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";
import type { ModelView } from "../../views.ts";
import { MODEL_OPTIONS, withoutEmptyCache } from "./model-options.ts";
import { describeModel } from "./model-words.ts";
import { ROUTE } from "./route-option.ts";

export const createModel = platformCommand<ModelView>({
  summary: "Makes a model, which can be called from the next request on, and announces it.",
  details: `Without a price it has the one that its provider publishes, if that is known. A model without any price cannot be
called: what costs money is never free by mistake.`,
  examples: [
    "models create fast-chat --route our-openai/gpt-4o-mini",
    "models create safe-chat --route our-openai/gpt-4o,weight=3 --route azure/gpt-4o --route our-groq/llama-3.3-70b-versatile,priority=2",
    "models create house-model --route gpu-box/llama3.2 --input-price 0.10 --output-price 0.40 --context-window 128000",
    "models create tryout --route gpu-box/llama3.2 --free yes --capabilities tools,json_schema",
  ],
  operands: [{ name: "MODEL", field: "id", meaning: "its id: what callers put into model" }],
  options: { ...MODEL_OPTIONS, route: required(ROUTE, "say where it is served: --route our-openai/gpt-4o-mini") },
  call: "POST /api/models",
  complete: withoutEmptyCache,
  print: describeModel,
});

import { platformCommand } from "../../platform-command.ts";
import type { ModelView } from "../../views.ts";
import { MODEL } from "./model-operand.ts";
import { describeModel } from "./model-words.ts";

export const showModel = platformCommand<ModelView>({
  summary: "Shows a model: its state, its prices, where it is served.",
  examples: ["models show echo"],
  operands: [MODEL],
  call: "GET /api/models/{id}",
  print: describeModel,
});

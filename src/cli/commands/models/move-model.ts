import { changeCommand } from "../../change-command.ts";
import { required, text } from "../../options.ts";
import type { ModelView } from "../../views.ts";
import { MODEL } from "./model-operand.ts";
import { describeModel } from "./model-words.ts";

export const deprecateModel = changeCommand<ModelView>({
  summary: "Announces that an available model will be retired, when, and what to use instead. It keeps working.",
  details: "models keys lists who still uses it. There is no way back to available.",
  examples: ["models deprecate old-chat --shutdown-date 2027-06-30 --replacement fast-chat"],
  operands: [MODEL],
  options: {
    "shutdown-date": required(
      text("shutdown_date", "the day on which it is meant to be retired", "DAY"),
      "say when it will be retired: --shutdown-date 2027-06-30",
    ),
    replacement: required(
      text("replacement", "an available model to use instead", "MODEL"),
      "say what to use instead: --replacement fast-chat",
    ),
  },
  call: "POST /api/models/{id}/deprecate",
  print: describeModel,
});

export const retireModel = changeCommand<ModelView>({
  summary: "Ends a deprecated model for good, from the next request on. Its replacement must be available.",
  details: "Answers under way are finished. It leaves the model list, and whoever calls it is told what to use instead.",
  examples: ["models retire old-chat --preview", "models retire old-chat"],
  operands: [MODEL],
  call: "POST /api/models/{id}/retire",
  print: describeModel,
});

import { changeCommand } from "../../change-command.ts";
import type { KeyView } from "../../views.ts";
import { KEY } from "./key-operand.ts";
import { KEY_OPTIONS } from "./key-options.ts";
import { describeKey } from "./show-key.ts";

export const updateKey = changeCommand<KeyView>({
  summary: "Changes what is given of a key, from the next request on.",
  examples: [
    "keys update 4fQ8sLm2XyZ1 --models 'gpt-*' --daily-cap 5",
    "keys update 4fQ8sLm2XyZ1 --requests-per-minute none",
    "keys update 4fQ8sLm2XyZ1 --monthly-cap 20 --preview",
  ],
  operands: [KEY],
  options: KEY_OPTIONS,
  call: "PATCH /api/keys/{id}",
  print: describeKey,
});

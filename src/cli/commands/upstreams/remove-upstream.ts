import { platformCommand } from "../../platform-command.ts";
import type { UpstreamView } from "./upstream-views.ts";
import { UPSTREAM } from "./upstream-operand.ts";

export const removeUpstream = platformCommand<UpstreamView>({
  summary: "Removes an upstream that serves no model, with its credential.",
  examples: ["upstreams remove gpu-box"],
  operands: [UPSTREAM],
  call: "DELETE /api/upstreams/{id}",
  print: ({ id }) => `Removed ${id}.\n`,
});

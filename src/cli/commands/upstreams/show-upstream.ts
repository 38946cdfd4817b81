import { platformCommand } from "../../platform-command.ts";
import type { UpstreamView } from "./upstream-views.ts";
import { UPSTREAM } from "./upstream-operand.ts";
import { describeUpstream } from "./upstream-words.ts";

export const showUpstream = platformCommand<UpstreamView>({
  summary: "Shows an upstream: its address, how long it is waited for, and what it serves. Its credential is never shown.",
  examples: ["upstreams show our-openai"],
  operands: [UPSTREAM],
  call: "GET /api/upstreams/{id}",
  print: describeUpstream,
});

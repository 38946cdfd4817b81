import { platformCommand } from "../../platform-command.ts";
import type { UpstreamView } from "./upstream-views.ts";
import { UPSTREAM } from "./upstream-operand.ts";
import { CREDENTIAL, UPSTREAM_OPTIONS } from "./upstream-options.ts";
import { describeUpstream } from "./upstream-words.ts";

export const updateUpstream = platformCommand<UpstreamView>({
  summary: "Changes what is given of an upstream, from the next request on.",
  details: `What is not given stays as it is. Its address stays with another preset, too. With another address the credential is needed again: it is not sent to where it was not
given for.`,
  examples: [
    "upstreams update gpu-box --total-ms 300000 --max-calls 16",
    "printenv OPENAI_API_KEY | npx tollgate upstreams update our-openai --base-url https://eu.api.openai.com/v1 --credential-stdin",
  ],
  operands: [UPSTREAM],
  options: UPSTREAM_OPTIONS,
  stdin: { ...CREDENTIAL, onlyWith: "credential-stdin" },
  call: "PATCH /api/upstreams/{id}",
  print: describeUpstream,
});

import { platformCommand } from "../../platform-command.ts";
import type { UpstreamView } from "./upstream-views.ts";
import { UPSTREAM } from "./upstream-operand.ts";
import { CREDENTIAL } from "./upstream-options.ts";
import { describeCredentials } from "./upstream-words.ts";

export const setCredential = platformCommand<UpstreamView>({
  summary: "Gives an upstream another credential, or several, from the next request on.",
  details: `They are kept sealed, and never shown again. Several come each on a line, and take the place of all that there are. Calls
under way keep the one that they were made with.`,
  examples: [
    "printenv OPENAI_API_KEY | npx tollgate upstreams credential set our-openai",
    "upstreams credential set our-openai < secret.txt",
  ],
  operands: [UPSTREAM],
  stdin: CREDENTIAL,
  call: "PUT /api/upstreams/{id}/credential",
  print: (upstream) => `The credential of ${upstream.id} is ${describeCredentials(upstream)} from now on.\n`,
});

export const removeCredential = platformCommand<UpstreamView>({
  summary: "Takes an upstream's credentials away, from the next request on.",
  examples: ["upstreams credential remove gpu-box"],
  operands: [UPSTREAM],
  call: "DELETE /api/upstreams/{id}/credential",
  print: ({ id }) => `${id} has no credential from now on.\n`,
});

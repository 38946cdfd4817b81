import { DIALECTS } from "../../../models/upstream-settings.ts";
import { choice } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";
import type { UpstreamView } from "./upstream-views.ts";
import { CREDENTIAL, UPSTREAM_OPTIONS } from "./upstream-options.ts";
import { describeUpstream } from "./upstream-words.ts";

export const createUpstream = platformCommand<UpstreamView>({
  summary: "Makes an upstream: where calls can be sent.",
  details: `A preset knows its dialect, and most know its address. A credential comes by the standard input, is kept sealed, and is never
shown again. Then see whether it works with upstreams test, and make models that it serves with models create.`,
  examples: [
    "printenv GROQ_API_KEY | npx tollgate upstreams create our-groq --preset groq --credential-stdin",
    "upstreams create azure --preset azure --base-url https://acme.openai.azure.com/openai/v1 --credential-stdin < two-keys.txt",
    "upstreams create gpu-box --dialect openai --base-url http://192.168.1.20:8000/v1 --allow-private yes",
  ],
  operands: [{ name: "UPSTREAM", field: "id", meaning: "its id, which routes and the log name" }],
  options: {
    dialect: choice("dialect", DIALECTS, "its wire format; that of the preset, if not given"),
    ...UPSTREAM_OPTIONS,
  },
  stdin: { ...CREDENTIAL, onlyWith: "credential-stdin" },
  call: "POST /api/upstreams",
  print: describeUpstream,
});

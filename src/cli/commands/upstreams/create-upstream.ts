import { DIALECTS } from "../../../vocabulary/upstream-settings.ts";
import { choice, required } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";
import type { UpstreamView } from "../../views.ts";
import { CREDENTIAL, UPSTREAM_OPTIONS } from "./upstream-options.ts";
import { describeUpstream } from "./upstream-words.ts";

export const createUpstream = platformCommand<UpstreamView>({
  summary: "Makes an upstream: where calls can be sent.",
  details: `A credential comes by the standard input, is kept sealed, and is never shown again. Then see whether it works with upstreams
test, and make models that it serves with models create.`,
  examples: [
    "printenv OPENAI_API_KEY | npx tollgate upstreams create our-openai --dialect openai --base-url https://api.openai.com/v1 --credential-stdin",
    "upstreams create gpu-box --dialect openai --base-url http://192.168.1.20:8000/v1 --allow-private yes",
  ],
  operands: [{ name: "UPSTREAM", field: "id", meaning: "its id, which routes and the log name" }],
  options: {
    dialect: required(choice("dialect", DIALECTS, "its wire format"), "say what it speaks: --dialect openai"),
    ...UPSTREAM_OPTIONS,
  },
  stdin: { ...CREDENTIAL, onlyWith: "credential-stdin" },
  call: "POST /api/upstreams",
  print: describeUpstream,
});

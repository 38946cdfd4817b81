import { listCommand } from "../../list-command.ts";
import { text } from "../../options.ts";
import type { UpstreamView } from "./upstream-views.ts";
import { describeCredentials } from "./upstream-words.ts";

export const listUpstreams = listCommand<UpstreamView>({
  summary: "Lists the upstreams: where calls go, and which models each serves.",
  examples: ["upstreams list", "upstreams list --search openai"],
  options: { search: text("search", "those whose id or address has this in it") },
  call: "GET /api/upstreams",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "PRESET", cell: ({ preset }) => preset ?? "" },
    { heading: "DIALECT", cell: ({ dialect }) => dialect },
    { heading: "ADDRESS", cell: (upstream) => upstream.base_url ?? "built in", isLong: true },
    { heading: "CREDENTIAL", cell: describeCredentials },
    { heading: "MANAGED BY", cell: (upstream) => upstream.managed_by },
    { heading: "MODELS", cell: ({ models }) => models.toSorted().join(", "), isLong: true },
  ],
});

import type { Me } from "../../../platform-client/types.ts";
import { formatDetails } from "../format/format-details.ts";
import { platformCommand } from "../platform-command.ts";

const CREDENTIALS = { session: "session", access_token: "access token", operator_token: "operator token" } as const;

export const showMe = platformCommand<Me>({
  summary: "Show the current identity and its scopes.",
  examples: ["whoami"],
  call: "GET /api/me",
  print: ({ credential, role, account, scopes, person, service }) =>
    formatDetails([
      ["Token", CREDENTIALS[credential]],
      service === null ? ["Person", person === null ? "none" : `${person.id} (${person.name}, ${person.email})`] : ["Service", service],
      ["Role", role],
      ["Account", account ?? "all"],
      ["Scopes", scopes === null ? "all" : scopes.join(", ")],
    ]),
});

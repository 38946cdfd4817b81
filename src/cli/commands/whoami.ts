import { formatFacts } from "../format-details.ts";
import { platformCommand } from "../platform-command.ts";
import type { PersonView } from "../views.ts";

interface MeView {
  readonly credential: "session" | "access_token" | "operator_token";
  readonly role: string;
  readonly account: string | null;
  readonly scopes: readonly string[] | null;
  readonly person: PersonView | null;
}

const CREDENTIALS = { session: "session", access_token: "access token", operator_token: "operator token" } as const;

export const showMe = platformCommand<MeView>({
  summary: "Says as whom the command line calls, and how far that reaches.",
  examples: ["whoami"],
  call: "GET /api/me",
  print: ({ credential, role, account, scopes, person }) =>
    formatFacts([
      ["Token", CREDENTIALS[credential]],
      ["Person", person === null ? "nobody" : `${person.id} (${person.name}, ${person.email})`],
      ["Role", role],
      ["Account", account ?? "all"],
      ["Scopes", scopes === null ? "all" : scopes.join(", ")],
    ]),
});

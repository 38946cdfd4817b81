import { platformCommand } from "../../platform-command.ts";
import type { AccountView } from "../../views.ts";
import { ACCOUNT_OPTIONS } from "./account-options.ts";

export const createAccount = platformCommand<AccountView>({
  summary: "Makes an account, without credit.",
  details: "An account owns credit, and its keys spend it. Nothing that costs is let in before it has some: see credits grant.",
  examples: ["accounts create acme --name 'Acme Inc.'", "accounts create interns --monthly-cap 50 --concurrent 4"],
  operands: [{ name: "ID", field: "id", meaning: "its id for good: up to 63 of a-z, 0-9, dot, dash and underscore" }],
  options: { ...ACCOUNT_OPTIONS, name: { ...ACCOUNT_OPTIONS.name, meaning: "what it is called; its id, if not given" } },
  call: "POST /api/accounts",
  complete: (fields) => ({ name: fields["id"], ...fields }),
  print: ({ id, name }) => `Made the account ${id} (${name}). Give it credit with: npx tollgate credits grant ${id} 10 --reason '…'\n`,
});

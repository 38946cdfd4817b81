import { createAccount } from "./commands/accounts/create-account.ts";
import { listAccounts } from "./commands/accounts/list-accounts.ts";
import { showAccount } from "./commands/accounts/show-account.ts";
import { updateAccount } from "./commands/accounts/update-account.ts";
import { listChanges } from "./commands/audit/list-changes.ts";
import { runAudit } from "./commands/audit/run-audit.ts";
import { adjustCredit, grantCredit } from "./commands/credits/add-credit.ts";
import { listEntries } from "./commands/credits/list-entries.ts";
import { startGateway } from "./commands/gateway/start-gateway.ts";
import { importFromLiteLLM } from "./commands/import/import-litellm.ts";
import { createKey } from "./commands/keys/create-key.ts";
import { listKeys } from "./commands/keys/list-keys.ts";
import { revokeKey } from "./commands/keys/revoke-key.ts";
import { showKey } from "./commands/keys/show-key.ts";
import { updateKey } from "./commands/keys/update-key.ts";
import { listModels } from "./commands/models/list-models.ts";
import { showReceipt } from "./commands/receipts/show-receipt.ts";
import { completionCommand } from "./completion/completion-command.ts";
import type { Command } from "./command.ts";

/** Every command by the words that call it, in the order in which the help shows them. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  start: startGateway,

  "keys create": createKey,
  "keys list": listKeys,
  "keys show": showKey,
  "keys update": updateKey,
  "keys revoke": revokeKey,

  "accounts create": createAccount,
  "accounts list": listAccounts,
  "accounts show": showAccount,
  "accounts update": updateAccount,

  "credits grant": grantCredit,
  "credits adjust": adjustCredit,
  "credits list": listEntries,
  receipt: showReceipt,

  "models list": listModels,

  audit: runAudit,
  "audit log": listChanges,

  "import litellm": importFromLiteLLM,
  completion: completionCommand(() => COMMANDS),
};

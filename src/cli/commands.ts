import { createAccount } from "./commands/accounts/create-account.ts";
import { listAccounts } from "./commands/accounts/list-accounts.ts";
import { showAccount } from "./commands/accounts/show-account.ts";
import { updateAccount } from "./commands/accounts/update-account.ts";
import { listChanges } from "./commands/audit/list-changes.ts";
import { runAudit } from "./commands/audit/run-audit.ts";
import { listAnnouncements } from "./commands/changelog/list-announcements.ts";
import { checkConfig } from "./commands/config/check-config.ts";
import { reloadConfig } from "./commands/config/reload-config.ts";
import { adjustCredit, grantCredit } from "./commands/credits/add-credit.ts";
import { listEntries } from "./commands/credits/list-entries.ts";
import { runDoctor } from "./commands/doctor/run-doctor.ts";
import { startGateway } from "./commands/gateway/start-gateway.ts";
import { importFromLiteLLM } from "./commands/import/import-litellm.ts";
import { createKey } from "./commands/keys/create-key.ts";
import { listKeys } from "./commands/keys/list-keys.ts";
import { revokeLeakedKey } from "./commands/keys/revoke-leaked-key.ts";
import { rotateKey } from "./commands/keys/rotate-key.ts";
import { revokeKey } from "./commands/keys/revoke-key.ts";
import { showKey } from "./commands/keys/show-key.ts";
import { updateKey } from "./commands/keys/update-key.ts";
import { exportLogs } from "./commands/logs/export-logs.ts";
import { showBodies } from "./commands/logs/show-bodies.ts";
import { showLogs } from "./commands/logs/show-logs.ts";
import { showRequest } from "./commands/logs/show-request.ts";
import { showStatistics } from "./commands/logs/show-statistics.ts";
import { createModel } from "./commands/models/create-model.ts";
import { listModelKeys } from "./commands/models/list-model-keys.ts";
import { listModels } from "./commands/models/list-models.ts";
import { deprecateModel, retireModel } from "./commands/models/move-model.ts";
import { showModel } from "./commands/models/show-model.ts";
import { updateModel } from "./commands/models/update-model.ts";
import { disablePerson, enablePerson } from "./commands/people/disable-person.ts";
import { endSessions } from "./commands/people/end-sessions.ts";
import { inviteAgain } from "./commands/people/invite-again.ts";
import { invitePerson } from "./commands/people/invite-person.ts";
import { listPeople } from "./commands/people/list-people.ts";
import { listTokens } from "./commands/people/list-tokens.ts";
import { revokeToken } from "./commands/people/revoke-token.ts";
import { showPerson } from "./commands/people/show-person.ts";
import { updatePerson } from "./commands/people/update-person.ts";
import { recoverData } from "./commands/recover/recover-data.ts";
import { reconcileBill } from "./commands/reconcile/reconcile-bill.ts";
import { showReceipt } from "./commands/receipts/show-receipt.ts";
import { removeCredential, setCredential } from "./commands/upstreams/change-credential.ts";
import { createUpstream } from "./commands/upstreams/create-upstream.ts";
import { listDeviations } from "./commands/upstreams/list-deviations.ts";
import { listUpstreams } from "./commands/upstreams/list-upstreams.ts";
import { removeUpstream } from "./commands/upstreams/remove-upstream.ts";
import { showHealth } from "./commands/upstreams/show-health.ts";
import { showUpstream } from "./commands/upstreams/show-upstream.ts";
import { testCredential, testUpstream } from "./commands/upstreams/test-upstream.ts";
import { updateUpstream } from "./commands/upstreams/update-upstream.ts";
import { showUsage } from "./commands/usage/show-usage.ts";
import { createWebhook } from "./commands/webhooks/create-webhook.ts";
import { listDeliveries } from "./commands/webhooks/list-deliveries.ts";
import { listWebhooks } from "./commands/webhooks/list-webhooks.ts";
import { removeWebhook } from "./commands/webhooks/remove-webhook.ts";
import { rotateWebhookSecret } from "./commands/webhooks/rotate-secret.ts";
import { sendDeliveryAgain } from "./commands/webhooks/send-again.ts";
import { showWebhook } from "./commands/webhooks/show-webhook.ts";
import { testWebhook } from "./commands/webhooks/test-webhook.ts";
import { updateWebhook } from "./commands/webhooks/update-webhook.ts";
import { showMe } from "./commands/whoami/show-me.ts";
import { completionCommand } from "./completion/completion-command.ts";
import type { Command } from "./command.ts";

/** Every command by the words that call it, in the order in which the help shows them. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  start: startGateway,
  whoami: showMe,
  usage: showUsage,
  receipt: showReceipt,
  reconcile: reconcileBill,
  changelog: listAnnouncements,
  doctor: runDoctor,
  recover: recoverData,
  "import litellm": importFromLiteLLM,
  completion: completionCommand(() => COMMANDS),

  logs: showLogs,
  "logs show": showRequest,
  "logs export": exportLogs,
  "logs bodies": showBodies,
  "logs statistics": showStatistics,

  "keys create": createKey,
  "keys list": listKeys,
  "keys show": showKey,
  "keys update": updateKey,
  "keys rotate": rotateKey,
  "keys revoke": revokeKey,
  "keys revoke-leaked": revokeLeakedKey,

  "accounts create": createAccount,
  "accounts list": listAccounts,
  "accounts show": showAccount,
  "accounts update": updateAccount,

  "credits grant": grantCredit,
  "credits adjust": adjustCredit,
  "credits list": listEntries,

  "models list": listModels,
  "models show": showModel,
  "models create": createModel,
  "models update": updateModel,
  "models deprecate": deprecateModel,
  "models retire": retireModel,
  "models keys": listModelKeys,

  "upstreams list": listUpstreams,
  "upstreams show": showUpstream,
  "upstreams create": createUpstream,
  "upstreams update": updateUpstream,
  "upstreams credential set": setCredential,
  "upstreams credential remove": removeCredential,
  "upstreams credential test": testCredential,
  "upstreams test": testUpstream,
  "upstreams deviations": listDeviations,
  "upstreams health": showHealth,
  "upstreams remove": removeUpstream,

  "webhooks create": createWebhook,
  "webhooks list": listWebhooks,
  "webhooks show": showWebhook,
  "webhooks update": updateWebhook,
  "webhooks test": testWebhook,
  "webhooks deliveries": listDeliveries,
  "webhooks send-again": sendDeliveryAgain,
  "webhooks rotate-secret": rotateWebhookSecret,
  "webhooks remove": removeWebhook,

  "people invite": invitePerson,
  "people list": listPeople,
  "people show": showPerson,
  "people update": updatePerson,
  "people invitation": inviteAgain,
  "people end-sessions": endSessions,
  "people tokens": listTokens,
  "people revoke-token": revokeToken,
  "people disable": disablePerson,
  "people enable": enablePerson,

  audit: runAudit,
  "audit log": listChanges,

  "config check": checkConfig,
  "config reload": reloadConfig,
};

import {
  archiveAccount,
  createAccount,
  listAccounts,
  removeAccount,
  restoreAccount,
  showAccount,
  updateAccount,
} from "./commands/accounts.ts";
import { acknowledgeAlert, listAlerts } from "./commands/alerts.ts";
import { listChanges, runAudit } from "./commands/audit/audit.ts";
import { createBackup, restoreBackup, showLastBackup, verifyBackup } from "./commands/backup/backup.ts";
import { listAnnouncements } from "./commands/changelog.ts";
import { checkConfig, reloadConfig, showConfig } from "./commands/config.ts";
import { adjustCredit, grantCredit, listEntries } from "./commands/credits.ts";
import { runDoctor } from "./commands/doctor/doctor.ts";
import { startGateway } from "./commands/gateway/start-gateway.ts";
import { checkHealth } from "./commands/health.ts";
import { importKeys } from "./commands/import-keys.ts";
import { importFromLiteLLM } from "./commands/import-litellm.ts";
import { listInstances, restartInstances, showInstance, writeOffInstance } from "./commands/instances/instances.ts";
import {
  archiveKey,
  cloneKey,
  createKey,
  listKeys,
  pauseKey,
  removeKey,
  restoreKey,
  resumeKey,
  revokeKey,
  revokeLeakedKey,
  rotateKey,
  showKey,
  updateKey,
} from "./commands/keys.ts";
import { eraseEndUser, exportEndUser } from "./commands/end-users.ts";
import { cancelExport, createExport, downloadExport, listExports, removeExport, showExport } from "./commands/logs/background-exports.ts";
import { exportLogs, showLogs, countLogs } from "./commands/logs/logs.ts";
import { showBodies, showRequest } from "./commands/logs/request.ts";
import { showStatistics } from "./commands/logs/statistics.ts";
import { migrateData } from "./commands/migrate/migrate.ts";
import {
  archiveModel,
  cloneModel,
  createModel,
  deprecateModel,
  listModelKeys,
  listModels,
  removeModel,
  restoreModel,
  retireModel,
  showModel,
  updateModel,
} from "./commands/models/models.ts";
import { showMirror } from "./commands/models/mirror.ts";
import { createServiceToken, listServiceTokens, revokeServiceToken } from "./commands/access-tokens.ts";
import {
  archivePerson,
  disablePerson,
  enablePerson,
  endSessions,
  inviteAgain,
  invitePerson,
  listPeople,
  listTokens,
  removePerson,
  restorePerson,
  revokeToken,
  showPerson,
  updatePerson,
} from "./commands/people.ts";
import { checkPrices } from "./commands/prices/check-prices.ts";
import { disableEndpoint, enableEndpoint, listEndpoints } from "./commands/endpoints.ts";
import { createPriceList, listPriceLists, removePriceList, showPriceList, updatePriceList } from "./commands/prices/price-lists.ts";
import { runPreflight } from "./commands/preflight/preflight.ts";
import { recoverData } from "./commands/recover.ts";
import { reconcileBill } from "./commands/reconcile/reconcile.ts";
import { showReceipt } from "./commands/receipt.ts";
import { installService } from "./commands/service/install-service.ts";
import {
  addCredential,
  removeCredential,
  setCredential,
  createUpstream,
  listUpstreams,
  removeUpstream,
  showUpstream,
  testCredential,
  testUpstream,
  updateUpstream,
} from "./commands/upstreams/upstreams.ts";
import { listDeviations } from "./commands/upstreams/deviations.ts";
import { showHealth } from "./commands/upstreams/health.ts";
import { showMargin } from "./commands/usage/margin.ts";
import { showUsage } from "./commands/usage/usage.ts";
import {
  createWebhook,
  listDeliveries,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
  redeliver,
  showWebhook,
  testWebhook,
  updateWebhook,
} from "./commands/webhooks.ts";
import { showVersion } from "./commands/version.ts";
import { showMe } from "./commands/whoami.ts";
import { completionCommand } from "./completion/completion-command.ts";
import type { Command } from "./command.ts";

/** Every command by its name, in the order of the help. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  start: startGateway,
  restart: restartInstances,
  health: checkHealth,
  whoami: showMe,
  usage: showUsage,
  margin: showMargin,
  receipt: showReceipt,
  reconcile: reconcileBill,
  changelog: listAnnouncements,
  doctor: runDoctor,
  backup: createBackup,
  "backup verify": verifyBackup,
  "backup status": showLastBackup,
  restore: restoreBackup,
  recover: recoverData,
  preflight: runPreflight,
  migrate: migrateData,
  "import litellm": importFromLiteLLM,
  "import keys": importKeys,
  version: showVersion,
  completion: completionCommand(() => COMMANDS),

  logs: showLogs,
  "logs show": showRequest,
  "logs count": countLogs,
  "logs export": exportLogs,
  "exports create": createExport,
  "exports list": listExports,
  "exports show": showExport,
  "exports download": downloadExport,
  "exports cancel": cancelExport,
  "exports remove": removeExport,
  "logs bodies": showBodies,
  "logs statistics": showStatistics,

  "end-users export": exportEndUser,
  "end-users erase": eraseEndUser,

  "keys create": createKey,
  "keys list": listKeys,
  "keys show": showKey,
  "keys update": updateKey,
  "keys rotate": rotateKey,
  "keys clone": cloneKey,
  "keys pause": pauseKey,
  "keys resume": resumeKey,
  "keys revoke": revokeKey,
  "keys revoke-leaked": revokeLeakedKey,
  "keys archive": archiveKey,
  "keys restore": restoreKey,
  "keys remove": removeKey,

  "accounts create": createAccount,
  "accounts list": listAccounts,
  "accounts show": showAccount,
  "accounts update": updateAccount,
  "accounts archive": archiveAccount,
  "accounts restore": restoreAccount,
  "accounts remove": removeAccount,

  "credits grant": grantCredit,
  "credits adjust": adjustCredit,
  "credits list": listEntries,

  "models list": listModels,
  "models show": showModel,
  "models create": createModel,
  "models update": updateModel,
  "models deprecate": deprecateModel,
  "models retire": retireModel,
  "models clone": cloneModel,
  "models archive": archiveModel,
  "models restore": restoreModel,
  "models remove": removeModel,
  "models keys": listModelKeys,
  "models mirror": showMirror,

  "price-lists list": listPriceLists,
  "price-lists show": showPriceList,
  "price-lists create": createPriceList,
  "price-lists update": updatePriceList,
  "price-lists remove": removePriceList,
  "endpoints list": listEndpoints,
  "endpoints enable": enableEndpoint,
  "endpoints disable": disableEndpoint,

  "prices check": checkPrices,

  "upstreams list": listUpstreams,
  "upstreams show": showUpstream,
  "upstreams create": createUpstream,
  "upstreams update": updateUpstream,
  "upstreams credential set": setCredential,
  "upstreams credential add": addCredential,
  "upstreams credential remove": removeCredential,
  "upstreams credential test": testCredential,
  "upstreams test": testUpstream,
  "upstreams deviations": listDeviations,
  "upstreams health": showHealth,
  "upstreams remove": removeUpstream,

  "alerts list": listAlerts,
  "alerts acknowledge": acknowledgeAlert,

  "webhooks create": createWebhook,
  "webhooks list": listWebhooks,
  "webhooks show": showWebhook,
  "webhooks update": updateWebhook,
  "webhooks test": testWebhook,
  "webhooks deliveries": listDeliveries,
  "webhooks redeliver": redeliver,
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
  "people archive": archivePerson,
  "people restore": restorePerson,
  "people remove": removePerson,

  "access-tokens create": createServiceToken,
  "access-tokens list": listServiceTokens,
  "access-tokens revoke": revokeServiceToken,

  audit: runAudit,
  "audit log": listChanges,

  instances: listInstances,
  "instances show": showInstance,
  "instances write-off": writeOffInstance,

  "config check": checkConfig,
  "config show": showConfig,
  "config reload": reloadConfig,

  "service install": installService,
};

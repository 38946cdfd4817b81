import { showAbout, showLastBackup, showMetrics } from "./endpoints/installation.ts";
import { createAccount, listAccounts, removeAccount, showAccount, updateAccount } from "./endpoints/accounts.ts";
import { acknowledgeAlert, listAlerts } from "./endpoints/alerts.ts";
import { listChanges } from "./endpoints/audit-log.ts";
import { listAnnouncements, showFeed } from "./endpoints/changelog.ts";
import { showConfig, reloadConfig } from "./endpoints/config.ts";
import { showAsset, showKeyPage, showConsole, showDocuments } from "./endpoints/pages.ts";
import { adjustCredit, grantCredit, listEntries, runAudit } from "./endpoints/ledger.ts";
import { listInstances, restartInstances, showInstance, writeOffInstance } from "./endpoints/instances.ts";
import {
  callAsKey,
  cloneKey,
  createKey,
  listKeys,
  removeKey,
  revokeByPossession,
  revokeKey,
  rotateKey,
  showKey,
  updateKey,
} from "./endpoints/keys.ts";
import { findImportedKeys, importKeys, importSpend } from "./endpoints/imports.ts";
import {
  changePassword,
  createAccessToken,
  endOwnSession,
  listAccessTokens,
  listSessions,
  revokeAccessToken,
  showMe,
  updateMe,
} from "./endpoints/me.ts";
import {
  cloneModel,
  createModel,
  showMirrorReport,
  listModelKeys,
  listModels,
  removeModel,
  showModel,
  updateModel,
} from "./endpoints/models.ts";
import { deprecateModel, retireModel } from "./endpoints/model-states.ts";
import {
  endSessions,
  renewInvitation,
  invitePerson,
  listPeople,
  listTokensOfPerson,
  removePerson,
  revokeTokenOfPerson,
  showPerson,
  updatePerson,
} from "./endpoints/people.ts";
import { createServiceToken, listServiceTokens, revokeServiceToken } from "./endpoints/access-tokens.ts";
import { listEndpoints, updateEndpoint } from "./endpoints/optional-endpoints.ts";
import { createPriceList, listPriceLists, removePriceList, showPriceList, updatePriceList } from "./endpoints/price-lists.ts";
import { showReceipt } from "./endpoints/receipts.ts";
import { countRequests, listRequests, showBodies, showRequest, showStatistics } from "./endpoints/requests.ts";
import { exportRequests } from "./endpoints/request-export.ts";
import { eraseEndUser, exportEndUser } from "./endpoints/end-users.ts";
import { cancelExport, createExport, downloadExport, listExports, removeExport, showExport } from "./endpoints/exports.ts";
import { createView, listViews, removeView, updateView } from "./endpoints/saved-views.ts";
import { acceptInvitation, startOidc, finishOidc, listMethods, showInvitation, signInWithPassword, signOut } from "./endpoints/sign-in.ts";
import {
  removeCredential,
  replaceCredential,
  addCredential,
  createUpstream,
  listUpstreams,
  removeUpstream,
  showUpstream,
  updateUpstream,
} from "./endpoints/upstreams.ts";
import { examineUpstream, listDeviations, showHealth, testCredential, testUpstream } from "./endpoints/upstream-health.ts";
import { reconcileBill } from "./endpoints/reconciliations.ts";
import { showMargin, showUsage } from "./endpoints/usage.ts";
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
} from "./endpoints/webhooks.ts";
import type { Operation } from "./operation.ts";
import type { Platform } from "./platform.ts";

/** All operations of the platform. */
export function operations(platform: Platform): Operation[] {
  return [
    createKey(platform),
    listKeys(platform),
    showKey(platform),
    updateKey(platform),
    importKeys(platform),
    importSpend(platform),
    findImportedKeys(platform),
    rotateKey(platform),
    cloneKey(platform),
    revokeKey(platform),
    removeKey(platform),
    revokeByPossession(platform),
    callAsKey(platform),

    createAccount(platform),
    listAccounts(platform),
    showAccount(platform),
    updateAccount(platform),
    removeAccount(platform),
    exportEndUser(platform),
    eraseEndUser(platform),
    grantCredit(platform),
    adjustCredit(platform),
    listEntries(platform),
    showReceipt(platform),
    showUsage(platform),
    showMargin(platform),
    reconcileBill(platform),

    listRequests(platform),
    countRequests(platform),
    exportRequests(platform),
    showStatistics(platform),
    showRequest(platform),
    showBodies(platform),

    listExports(platform),
    createExport(platform),
    showExport(platform),
    downloadExport(platform),
    cancelExport(platform),
    removeExport(platform),

    createModel(platform),
    listModels(platform),
    showModel(platform),
    updateModel(platform),
    deprecateModel(platform),
    retireModel(platform),
    cloneModel(platform),
    removeModel(platform),
    listModelKeys(platform),
    showMirrorReport(platform),
    listAnnouncements(platform),
    showFeed(platform),

    createPriceList(platform),
    listPriceLists(platform),
    showPriceList(platform),
    updatePriceList(platform),
    removePriceList(platform),
    listEndpoints(platform),
    updateEndpoint(platform),

    createUpstream(platform),
    listUpstreams(platform),
    showUpstream(platform),
    updateUpstream(platform),
    replaceCredential(platform),
    addCredential(platform),
    removeCredential(platform),
    removeUpstream(platform),
    testUpstream(platform),
    testCredential(platform),
    examineUpstream(platform),
    listDeviations(platform),
    showHealth(platform),

    listAlerts(platform),
    acknowledgeAlert(platform),
    createWebhook(platform),
    listWebhooks(platform),
    showWebhook(platform),
    updateWebhook(platform),
    rotateWebhookSecret(platform),
    removeWebhook(platform),
    testWebhook(platform),
    listDeliveries(platform),
    redeliver(platform),

    ...showConsole(platform),
    showKeyPage(platform),
    showAsset(platform),
    ...showDocuments(platform),

    listMethods(platform),
    signInWithPassword(platform),
    startOidc(platform),
    finishOidc(platform),
    signOut(platform),
    showInvitation(platform),
    acceptInvitation(platform),

    showAbout(platform),
    showMe(platform),
    updateMe(platform),
    changePassword(platform),
    listSessions(platform),
    endOwnSession(platform),
    createAccessToken(platform),
    listAccessTokens(platform),
    revokeAccessToken(platform),
    listViews(platform),
    createView(platform),
    updateView(platform),
    removeView(platform),

    invitePerson(platform),
    listPeople(platform),
    showPerson(platform),
    updatePerson(platform),
    removePerson(platform),
    renewInvitation(platform),
    endSessions(platform),
    createServiceToken(platform),
    listServiceTokens(platform),
    revokeServiceToken(platform),
    listTokensOfPerson(platform),
    revokeTokenOfPerson(platform),

    listInstances(platform),
    showInstance(platform),
    restartInstances(platform),
    writeOffInstance(platform),

    showLastBackup(platform),
    showConfig(platform),
    reloadConfig(platform),
    listChanges(platform),
    runAudit(platform),
    showMetrics(platform),
  ];
}

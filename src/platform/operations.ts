import { showAbout } from "./endpoints/about/show-about.ts";
import { createAccount } from "./endpoints/accounts/create-account.ts";
import { listAccounts } from "./endpoints/accounts/list-accounts.ts";
import { removeAccount } from "./endpoints/accounts/remove-account.ts";
import { showAccount } from "./endpoints/accounts/show-account.ts";
import { updateAccount } from "./endpoints/accounts/update-account.ts";
import { acknowledgeAlert } from "./endpoints/alerts/acknowledge-alert.ts";
import { listAlerts } from "./endpoints/alerts/list-alerts.ts";
import { listChanges } from "./endpoints/audit-log/list-changes.ts";
import { listAnnouncements } from "./endpoints/changelog/list-announcements.ts";
import { showFeed } from "./endpoints/changelog/show-feed.ts";
import { showLastBackup } from "./endpoints/backups/show-last-backup.ts";
import { showConfig } from "./endpoints/config/show-config.ts";
import { reloadConfig } from "./endpoints/config/reload-config.ts";
import { showAsset } from "./endpoints/console/show-asset.ts";
import { showKeyPage } from "./endpoints/console/show-key-page.ts";
import { showConsole } from "./endpoints/console/show-console.ts";
import { showDocuments } from "./endpoints/console/show-documents.ts";
import { adjustCredit, grantCredit } from "./endpoints/credits/add-credit.ts";
import { listEntries } from "./endpoints/credits/list-entries.ts";
import { listInstances } from "./endpoints/instances/list-instances.ts";
import { restartInstances } from "./endpoints/instances/restart-instances.ts";
import { showInstance } from "./endpoints/instances/show-instance.ts";
import { writeOffInstance } from "./endpoints/instances/write-off-instance.ts";
import { callAsKey } from "./endpoints/keys/call-as-key.ts";
import { cloneKey } from "./endpoints/keys/clone-key.ts";
import { createKey } from "./endpoints/keys/create-key.ts";
import { listKeys } from "./endpoints/keys/list-keys.ts";
import { removeKey } from "./endpoints/keys/remove-key.ts";
import { revokeByPossession } from "./endpoints/keys/revoke-by-possession.ts";
import { revokeKey } from "./endpoints/keys/revoke-key.ts";
import { findImportedKeys } from "./endpoints/imports/find-imported-keys.ts";
import { importKeys } from "./endpoints/imports/import-keys.ts";
import { importSpend } from "./endpoints/imports/import-spend.ts";
import { rotateKey } from "./endpoints/keys/rotate-key.ts";
import { showKey } from "./endpoints/keys/show-key.ts";
import { updateKey } from "./endpoints/keys/update-key.ts";
import { runAudit } from "./endpoints/ledger/run-audit.ts";
import { changePassword } from "./endpoints/me/change-password.ts";
import { createAccessToken } from "./endpoints/me/create-access-token.ts";
import { endOwnSession } from "./endpoints/me/end-session.ts";
import { listAccessTokens } from "./endpoints/me/list-access-tokens.ts";
import { listSessions } from "./endpoints/me/list-sessions.ts";
import { revokeAccessToken } from "./endpoints/me/revoke-access-token.ts";
import { showMe } from "./endpoints/me/show-me.ts";
import { updateMe } from "./endpoints/me/update-me.ts";
import { showMetrics } from "./endpoints/metrics/show-metrics.ts";
import { cloneModel } from "./endpoints/models/clone-model.ts";
import { createModel } from "./endpoints/models/create-model.ts";
import { deprecateModel } from "./endpoints/models/deprecate-model.ts";
import { showMirrorReport } from "./endpoints/models/show-mirror-report.ts";
import { listModelKeys } from "./endpoints/models/list-model-keys.ts";
import { listModels } from "./endpoints/models/list-models.ts";
import { removeModel } from "./endpoints/models/remove-model.ts";
import { retireModel } from "./endpoints/models/retire-model.ts";
import { showModel } from "./endpoints/models/show-model.ts";
import { updateModel } from "./endpoints/models/update-model.ts";
import { endSessions } from "./endpoints/people/end-sessions.ts";
import { renewInvitation } from "./endpoints/people/renew-invitation.ts";
import { invitePerson } from "./endpoints/people/invite-person.ts";
import { listPeople } from "./endpoints/people/list-people.ts";
import { createServiceToken, listServiceTokens, revokeServiceToken } from "./endpoints/access-tokens/service-tokens.ts";
import { listTokensOfPerson } from "./endpoints/people/list-tokens-of-person.ts";
import { removePerson } from "./endpoints/people/remove-person.ts";
import { revokeTokenOfPerson } from "./endpoints/people/revoke-token-of-person.ts";
import { showPerson } from "./endpoints/people/show-person.ts";
import { updatePerson } from "./endpoints/people/update-person.ts";
import { createPriceList } from "./endpoints/price-lists/create-price-list.ts";
import { listPriceLists } from "./endpoints/price-lists/list-price-lists.ts";
import { removePriceList } from "./endpoints/price-lists/remove-price-list.ts";
import { showPriceList } from "./endpoints/price-lists/show-price-list.ts";
import { updatePriceList } from "./endpoints/price-lists/update-price-list.ts";
import { showReceipt } from "./endpoints/receipts/show-receipt.ts";
import { countRequests } from "./endpoints/requests/count-requests.ts";
import { exportRequests } from "./endpoints/requests/export-requests.ts";
import { listRequests } from "./endpoints/requests/list-requests.ts";
import { eraseEndUser } from "./endpoints/end-users/erase-end-user.ts";
import { exportEndUser } from "./endpoints/end-users/export-end-user.ts";
import { cancelExport } from "./endpoints/exports/cancel-export.ts";
import { createExport } from "./endpoints/exports/create-export.ts";
import { downloadExport } from "./endpoints/exports/download-export.ts";
import { listExports } from "./endpoints/exports/list-exports.ts";
import { removeExport } from "./endpoints/exports/remove-export.ts";
import { showExport } from "./endpoints/exports/show-export.ts";
import { showBodies } from "./endpoints/requests/show-bodies.ts";
import { showRequest } from "./endpoints/requests/show-request.ts";
import { showStatistics } from "./endpoints/requests/show-statistics.ts";
import { createView } from "./endpoints/saved-views/create-view.ts";
import { listViews } from "./endpoints/saved-views/list-views.ts";
import { removeView } from "./endpoints/saved-views/remove-view.ts";
import { updateView } from "./endpoints/saved-views/update-view.ts";
import { acceptInvitation } from "./endpoints/sign-in/accept-invitation.ts";
import { startOidc } from "./endpoints/sign-in/start-oidc.ts";
import { finishOidc } from "./endpoints/sign-in/finish-oidc.ts";
import { listMethods } from "./endpoints/sign-in/list-methods.ts";
import { showInvitation } from "./endpoints/sign-in/show-invitation.ts";
import { signInWithPassword } from "./endpoints/sign-in/sign-in-with-password.ts";
import { signOut } from "./endpoints/sign-in/sign-out.ts";
import { removeCredential, replaceCredential } from "./endpoints/upstreams/change-credential.ts";
import { addCredential } from "./endpoints/upstreams/add-credential.ts";
import { createUpstream } from "./endpoints/upstreams/create-upstream.ts";
import { examineUpstream } from "./endpoints/upstreams/examine-upstream.ts";
import { listDeviations } from "./endpoints/upstreams/list-deviations.ts";
import { listUpstreams } from "./endpoints/upstreams/list-upstreams.ts";
import { removeUpstream } from "./endpoints/upstreams/remove-upstream.ts";
import { showHealth } from "./endpoints/upstreams/show-health.ts";
import { showUpstream } from "./endpoints/upstreams/show-upstream.ts";
import { testCredential, testUpstream } from "./endpoints/upstreams/test-upstream.ts";
import { updateUpstream } from "./endpoints/upstreams/update-upstream.ts";
import { reconcileBill } from "./endpoints/reconciliations/reconcile-bill.ts";
import { showMargin } from "./endpoints/usage/show-margin.ts";
import { showUsage } from "./endpoints/usage/show-usage.ts";
import { createWebhook } from "./endpoints/webhooks/create-webhook.ts";
import { listDeliveries } from "./endpoints/webhooks/list-deliveries.ts";
import { listWebhooks } from "./endpoints/webhooks/list-webhooks.ts";
import { removeWebhook } from "./endpoints/webhooks/remove-webhook.ts";
import { rotateWebhookSecret } from "./endpoints/webhooks/rotate-secret.ts";
import { redeliver } from "./endpoints/webhooks/redeliver.ts";
import { showWebhook } from "./endpoints/webhooks/show-webhook.ts";
import { testWebhook } from "./endpoints/webhooks/test-webhook.ts";
import { updateWebhook } from "./endpoints/webhooks/update-webhook.ts";
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

/** The verb phrase of each action, between the actor and the resource. */
const VERBS: Readonly<Record<string, string>> = {
  "access_token.create": "created the access token",
  "access_token.revoke": "revoked the access token",
  "account.create": "created the account",
  "account.update": "updated the account",
  "alert.acknowledge": "acknowledged the alert",
  "config.load": "loaded the config file",
  "config.reload": "reloaded the config file",
  "credit.adjustment": "adjusted the credit of",
  "credit.grant": "granted credit to",
  "instance.restart": "restarted the gateway processes",
  "key.create": "created the key",
  "key.revoke": "revoked the key",
  "key.rotate": "rotated the key",
  "key.update": "updated the key",
  "model.create": "created the model",
  "model.deprecate": "deprecated the model",
  "model.retire": "retired the model",
  "model.update": "updated the model",
  "person.accept_invitation": "accepted the invitation",
  "person.change_password": "changed the password of",
  "person.create": "invited",
  "person.end_sessions": "ended all sessions of",
  "person.invite": "created a new link for",
  "person.link_identity": "linked an SSO identity to",
  "person.renew_session": "renewed the session",
  "person.sign_in": "signed in",
  "person.sign_in_failed": "failed to sign in as",
  "person.sign_out": "signed out",
  "person.update": "updated the person",
  "account.export_end_user": "exported an end user's data of",
  "account.erase_end_user": "erased an end user of",
  "request.read_bodies": "read the bodies of",
  "saved_view.create": "saved the view",
  "saved_view.remove": "deleted the saved view",
  "saved_view.update": "updated the saved view",
  "session.end": "ended the session",
  "endpoint.update": "updated the endpoint",
  "price_list.create": "created the price list",
  "price_list.remove": "removed the price list",
  "price_list.update": "updated the price list",
  "upstream.create": "created the upstream",
  "upstream.remove": "removed the upstream",
  "upstream.remove_credential": "removed the credential of",
  "upstream.add_credential": "added a credential to",
  "upstream.replace_credential": "replaced the credential of",
  "upstream.update": "updated the upstream",
  "webhook.create": "created the webhook",
  "webhook.pause": "paused the webhook",
  "webhook.remove": "removed the webhook",
  "webhook.rotate_secret": "rotated the secret of",
  "webhook.update": "updated the webhook",
};

/** Every known action with the resource type that it applies to. */
export const ACTIONS: readonly { readonly action: string; readonly kind: string }[] = Object.keys(VERBS).map((action) => {
  const kind = action.split(".")[0]!;
  return { action, kind: kind === "credit" ? "account" : kind };
});

/** Actions of a person on themselves, which need no object. */
const REFLEXIVE = new Set(["person.accept_invitation", "person.renew_session", "person.sign_in", "person.sign_out"]);

/** An unknown action of a newer platform is shown by its API name. */
export function describeAction(action: string): string {
  return Object.hasOwn(VERBS, action) ? VERBS[action]! : action.replaceAll(/[._]/g, " ");
}

interface DescribedChange {
  readonly action: string;
  readonly target: { readonly kind: string; readonly id: string };
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

const NAMED_KINDS = new Set(["key", "person", "webhook", "alert", "access_token"]);

/** The resource of a change: by its name at that time if its ID is opaque, otherwise by its ID. */
export function describeTarget({ action, target, before, after }: DescribedChange): string | undefined {
  if (REFLEXIVE.has(action) || target.kind === "config" || target.kind === "instance") return undefined;
  const name = (after ?? before)?.[target.kind === "alert" ? "title" : "name"];
  return NAMED_KINDS.has(target.kind) && typeof name === "string" ? name : target.id;
}

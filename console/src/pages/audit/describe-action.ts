/** What is done, in words that stand between who did it and what it was done to. */
const WORDS: Readonly<Record<string, string>> = {
  "access_token.create": "made the access token",
  "access_token.revoke": "revoked the access token",
  "account.create": "created the account",
  "account.update": "changed the account",
  "config.load": "loaded the config file",
  "config.reload": "reloaded the config file",
  "credit.adjustment": "adjusted the credit of",
  "credit.grant": "granted credit to",
  "key.create": "created the key",
  "key.revoke": "revoked the key",
  "key.rotate": "rotated the key",
  "key.update": "changed the key",
  "model.create": "created the model",
  "model.deprecate": "deprecated the model",
  "model.retire": "retired the model",
  "model.update": "changed the model",
  "person.accept_invitation": "accepted the invitation",
  "person.change_password": "changed the password of",
  "person.create": "invited",
  "person.end_sessions": "ended all sessions of",
  "person.invite": "made a new link for",
  "person.link_identity": "linked an OpenID identity to",
  "person.renew_session": "went on in a new session",
  "person.sign_in": "signed in",
  "person.sign_in_failed": "failed to sign in as",
  "person.sign_out": "signed out",
  "person.update": "changed the person",
  "request.read_bodies": "read what was said in",
  "session.end": "ended the session",
  "upstream.create": "created the upstream",
  "upstream.remove": "removed the upstream",
  "upstream.remove_credential": "removed the credential of",
  "upstream.replace_credential": "replaced the credential of",
  "upstream.update": "changed the upstream",
  "webhook.create": "created the webhook",
  "webhook.pause": "paused the webhook",
  "webhook.remove": "removed the webhook",
  "webhook.rotate_secret": "rotated the secret of",
  "webhook.update": "changed the webhook",
};

/** Every action that there are words for, by the kind of thing that it is done to. */
export const ACTIONS: readonly { readonly action: string; readonly kind: string }[] = Object.keys(WORDS).map((action) => {
  const kind = action.split(".")[0]!;
  return { action, kind: kind === "credit" ? "account" : kind };
});

/** What somebody does to nobody but themselves: it needs no object. */
const OWN = new Set(["person.accept_invitation", "person.renew_session", "person.sign_in", "person.sign_out"]);

/** Of a newer platform, what this console does not know is told as the platform calls it. */
export function describeAction(action: string): string {
  return Object.hasOwn(WORDS, action) ? WORDS[action]! : action.replaceAll(/[._]/g, " ");
}

interface Told {
  readonly action: string;
  readonly target: { readonly kind: string; readonly id: string };
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

const HAVE_NAMES = new Set(["key", "person", "webhook", "access_token"]);

/** What it was done to, by the name it had then, where its id means nothing to anybody. */
export function describeTarget({ action, target, before, after }: Told): string | undefined {
  if (OWN.has(action) || target.kind === "config") return undefined;
  const name = (after ?? before)?.["name"];
  return HAVE_NAMES.has(target.kind) && typeof name === "string" ? name : target.id;
}

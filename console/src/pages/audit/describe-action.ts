/** What is done to a kind of thing when the action's own word does not say it by itself. */
const WORDS: Readonly<Record<string, string>> = {
  "person.accept_invitation": "accepted the invitation of",
  "person.sign_in": "signed in as",
  "person.sign_out": "signed out as",
  "person.sign_in_failed": "failed to sign in as",
  "person.invite": "made a new link for",
  "person.change_password": "changed the password of",
  "person.end_sessions": "ended all sessions of",
  "person.link_identity": "linked an OpenID identity to",
  "request.read_bodies": "read what was said in",
  "upstream.replace_credential": "replaced the credential of",
  "upstream.remove_credential": "removed the credential of",
  "webhook.rotate_secret": "replaced the secret of",
  "config.reload": "reloaded the",
  "config.load": "loaded the",
};

const PAST: Readonly<Record<string, string>> = {
  create: "made",
  update: "changed",
  remove: "removed",
  revoke: "revoked",
  rotate: "rotated",
  deprecate: "deprecated",
  retire: "retired",
  end: "ended",
};

/** What somebody did to something, in words that stand between the two: "revoked the key". */
export function describeAction(action: string): string {
  const [kind = "", verb = ""] = action.split(".");
  const thing = kind.replaceAll("_", " ");
  const words = WORDS[action] ?? `${PAST[verb] ?? verb.replaceAll("_", " ")} the`;
  return `${words} ${thing}`;
}

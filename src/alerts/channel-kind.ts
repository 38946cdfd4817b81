/** The kinds of receivers: the operator's own service, chats, a pager, and inboxes. */
export const CHANNEL_KINDS = ["webhook", "slack", "teams", "discord", "pagerduty", "email"] as const;

export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** Chats whose URL is the credential: anyone who knows the URL can post. */
const SECRET_URLS: ReadonlySet<ChannelKind> = new Set<ChannelKind>(["slack", "teams", "discord"]);

export function hasSecretUrl(kind: ChannelKind): boolean {
  return SECRET_URLS.has(kind);
}

export const PAGERDUTY_URL = "https://events.pagerduty.com/v2/enqueue";

/** The end of a URL that is not shown. */
export const HIDDEN = "…";

/** The part that is shown of a URL that is a credential. */
export function redactUrl(url: string): string {
  return `${new URL(url).origin}/${HIDDEN}`;
}

/** The addresses in a `mailto:` URL (RFC 6068), which contains nothing else. */
export function recipientsIn(url: string): readonly string[] {
  return url
    .replace(/^mailto:/i, "")
    .split(",")
    .map((address) => address.trim());
}

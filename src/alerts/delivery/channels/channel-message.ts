import type { Alert } from "../../alert.ts";
import type { AlertText } from "../../describe-alert.ts";

/** An alert for a channel: its text, and a link to more information. */
export interface ChannelMessage extends AlertText {
  /** The id of the alert, the same for every attempt. */
  readonly id: string;
  readonly kind: Alert["kind"];
  readonly timestamp: string;
  readonly data: Alert["data"];
  /** The id of the alert that this message resolves. */
  readonly resolves: string | undefined;
  /** The URL of the list of alerts in the console; undefined if it is unknown. */
  readonly link: string | undefined;
}

/** Shortens a text to the limit of a service, which rejects longer ones. */
export function shorten(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Escapes Markdown, so that a name is shown verbatim, without links, mentions or placeholders of cards. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>#~|]|^[-+]/g, String.raw`\$&`);
}

import { shorten, type ChannelMessage } from "./channel-message.ts";

/** Slack's limits: https://docs.slack.dev/reference/block-kit/blocks */
const MAX_HEADER = 150;
const MAX_SECTION = 3000;
const MAX_FIELD = 2000;
const MAX_FIELDS = 10;

/** A message for an incoming webhook of Slack. It is plain text without markup, so that `<!channel>` in a name does not mention anybody. */
export function formatForSlack({ title, summary, facts, link }: ChannelMessage): string {
  const fields = facts.slice(0, MAX_FIELDS).map(([name, value]) => plainText(`${name}\n${value}`, MAX_FIELD));
  return JSON.stringify({
    // The text for notifications, and for clients that do not show blocks.
    text: escapeForSlack(`${title}. ${summary}`),
    blocks: [
      { type: "header", text: plainText(title, MAX_HEADER) },
      { type: "section", text: plainText(summary, MAX_SECTION) },
      ...(fields.length === 0 ? [] : [{ type: "section", fields }]),
      ...(link === undefined ? [] : [{ type: "actions", elements: [{ type: "button", text: plainText("Show alerts", 75), url: link }] }]),
    ],
  });
}

/** Slack decodes these entities in every text. Escaping may lengthen a text, so the text is shortened first. */
function plainText(text: string, maxChars: number): object {
  let shown = shorten(text, maxChars);
  for (let chars = maxChars; escapeForSlack(shown).length > maxChars; chars -= 10) shown = shorten(text, chars - 10);
  return { type: "plain_text", text: escapeForSlack(shown), emoji: false };
}

function escapeForSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

import { escapeMarkdown, shorten, type ChannelMessage } from "./channel-message.ts";

/** Below Discord's limits, which count escaped characters too, and 6,000 of a message: https://docs.discord.com/developers/resources/message */
const MAX_TITLE = 120;
const MAX_DESCRIPTION = 800;
const MAX_FIELD_NAME = 100;
const MAX_FIELD_VALUE = 100;
const MAX_FIELDS = 10;

const COLORS = { critical: 0xc0_39_2b, error: 0xc0_39_2b, warning: 0xe6_7e_22, info: 0x34_98_db };

/** A message for a webhook of Discord. Nobody is mentioned, whatever the text has. */
export function formatForDiscord({ title, summary, facts, severity, timestamp, link }: ChannelMessage): string {
  const embed = {
    title: written(title, MAX_TITLE),
    description: written(summary, MAX_DESCRIPTION),
    ...(link !== undefined && { url: link }),
    color: COLORS[severity],
    timestamp,
    fields: facts.slice(0, MAX_FIELDS).map(([name, value]) => ({
      name: written(name, MAX_FIELD_NAME),
      value: written(value, MAX_FIELD_VALUE),
      inline: true,
    })),
  };
  return JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } });
}

function written(text: string, maxChars: number): string {
  return escapeMarkdown(shorten(text, maxChars));
}

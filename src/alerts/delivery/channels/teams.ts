import { escapeMarkdown, shorten, type ChannelMessage } from "./channel-message.ts";

/** Teams rejects messages above 28 KB. */
const MAX_TEXT = 2000;
const MAX_FACTS = 10;

/**
 * A message for a workflow of Teams ("Send webhook alerts to a channel"): an Adaptive Card as an attachment. Cards of the retired Office
 * 365 connectors are not accepted.
 */
export function formatForTeams({ title, summary, facts, severity, link }: ChannelMessage): string {
  const color = { critical: "attention", error: "attention", warning: "warning", info: "default" }[severity];
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    // The newest version that desktop, web and mobile clients all show.
    version: "1.4",
    body: [
      { type: "TextBlock", text: written(title), size: "large", weight: "bolder", color, wrap: true },
      { type: "TextBlock", text: written(summary), wrap: true },
      ...(facts.length === 0 ? [] : [{ type: "FactSet", facts: facts.slice(0, MAX_FACTS).map(toFact) }]),
    ],
    ...(link !== undefined && { actions: [{ type: "Action.OpenUrl", title: "Show alerts", url: link }] }),
    msteams: { width: "Full" },
  };
  const attachment = { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content };
  return JSON.stringify({ type: "message", attachments: [attachment] });
}

function toFact([name, value]: readonly [string, string]): object {
  return { title: written(name), value: written(value) };
}

function written(text: string): string {
  return escapeMarkdown(shorten(text, MAX_TEXT));
}

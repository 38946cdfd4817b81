import type { Alert } from "../../alert.ts";
import { recipientsIn } from "../../channel-kind.ts";
import { describeAlert } from "../../describe-alert.ts";
import type { Mailer } from "../../mail-call.ts";
import type { CallWebhook, WebhookAnswer } from "../../webhook-call.ts";
import { secretsAt, type Webhook } from "../../webhook.ts";
import { signedHeaders, type SignedMessage } from "../webhook-signature.ts";
import { type ChannelMessage, shorten, escapeMarkdown } from "./channel-message.ts";
import { formatForSlack } from "./slack.ts";
import { formatForTeams } from "./teams.ts";
import type { Secret } from "../../../lib/secret/secret.ts";

/** The functions that send messages over the network. */
export interface AlertSenders {
  readonly call: CallWebhook;
  /** The mail server; undefined if none is configured. */
  readonly mailer?: Mailer | undefined;
  /** The URL of the list of alerts in the console; undefined if it is unknown. */
  readonly alertsUrl?: string | undefined;
}

const NO_MAILER: WebhookAnswer = { status: null, problem: "No mail server is configured: set TOLLGATE_SMTP_URL.", retryAfterMs: null };

/** Sends a message in the format of the webhook's kind. */
export function sendToChannel(
  webhook: Webhook,
  message: SignedMessage,
  senders: AlertSenders,
  signal: AbortSignal,
): Promise<WebhookAnswer> {
  const { kind, url, allowPrivate, secret } = webhook;
  const post = (to: string, body: string, headers = {}): Promise<WebhookAnswer> =>
    senders.call({ url: to, allowPrivate, headers, body }, signal);
  if (kind === "webhook") return post(url, message.body, signedHeaders(message, secretsAt(webhook, message.atMs)));
  const shown = readMessage(message, senders.alertsUrl);
  if (kind === "slack") return post(secret.reveal(), formatForSlack(shown));
  if (kind === "teams") return post(secret.reveal(), formatForTeams(shown));
  if (kind === "discord") return post(secret.reveal(), formatForDiscord(shown));
  if (kind === "pagerduty") return post(url, formatForPagerDuty(shown, secret));
  const { mailer } = senders;
  if (!mailer) return Promise.resolve(NO_MAILER);
  const to = recipientsIn(url);
  return mailer.send({ to, text: formatForEmail(shown, mailer.from, to) }, signal);
}

/** The stored alert as a message for people. */
function readMessage({ id, body }: SignedMessage, link: string | undefined): ChannelMessage {
  const {
    type: kind,
    timestamp,
    data,
    resolves,
  } = JSON.parse(body) as Pick<Alert, "data" | "resolves"> & {
    readonly type: Alert["kind"];
    readonly timestamp: string;
  };
  return { id, kind, timestamp, data, resolves, link, ...describeAlert({ kind, data }) };
}

/** The limit of PagerDuty for `summary`. */
const MAX_SUMMARY = 1024;

/**
 * An event for the Events API v2 of PagerDuty: an alert triggers an incident, and its end resolves the incident with the same `dedup_key`.
 * Repeated attempts have the same key too, and do not trigger another incident.
 */
function formatForPagerDuty(message: ChannelMessage, routingKey: Secret): string {
  const { id, kind, summary, severity, timestamp, data, resolves, link } = message;
  const common = { routing_key: routingKey.reveal(), client: "Tollgate", ...(link !== undefined && { client_url: link }) };
  if (resolves !== undefined) return JSON.stringify({ ...common, event_action: "resolve", dedup_key: resolves });
  const payload = { summary: shorten(summary, MAX_SUMMARY), source: "tollgate", severity, timestamp, class: kind, custom_details: data };
  return JSON.stringify({ ...common, event_action: "trigger", dedup_key: id, payload });
}

/**
 * Lengths below Discord's limits, which count escaped characters too, and below the limit of 6,000 characters for a message:
 * https://docs.discord.com/developers/resources/message
 */
const MAX_TITLE = 120;
const MAX_DESCRIPTION = 800;
const MAX_FIELD_NAME = 100;
const MAX_FIELD_VALUE = 100;
const MAX_FIELDS = 10;

const COLORS = { critical: 0xc0_39_2b, error: 0xc0_39_2b, warning: 0xe6_7e_22, info: 0x34_98_db };

/** A message for a webhook of Discord. Mentions in the text are disabled. */
function formatForDiscord({ title, summary, facts, severity, timestamp, link }: ChannelMessage): string {
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

/** The octets of UTF-8 in one encoded word: a line with its header and one word has at most 76 characters (RFC 2047 §2). */
const WORD_BYTES = 39;
/** The characters of base64 in a line (RFC 2045 §6.8). */
const LINE_CHARS = 76;
const MAX_SUBJECT = 200;

/**
 * An email by RFC 5322. The texts have no line breaks, so they cannot start a header; the body is base64, so none of its lines starts with
 * a dot.
 */
export function formatForEmail(message: ChannelMessage, from: string, to: readonly string[]): string {
  const { id, title, summary, facts, timestamp, link } = message;
  const domain = from.slice(from.lastIndexOf("@") + 1);
  const lines = [summary, "", ...facts.map(([name, value]) => `${name}: ${value}`), "", timestamp, ...(link === undefined ? [] : [link])];
  return [
    `From: Tollgate <${from}>`,
    // Each recipient is on a separate line: a line has at most 998 characters.
    `To: ${to.map((address) => `<${address}>`).join(",\r\n ")}`,
    `Subject: ${encodeHeader(shorten(`[Tollgate] ${title}`, MAX_SUBJECT))}`,
    `Date: ${new Date(timestamp).toUTCString().replace("GMT", "+0000")}`,
    // The id is the same for each attempt, so that a mailbox can detect duplicates.
    `Message-ID: <${id}@${domain}>`,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: base64",
    // Suppresses vacation notices (RFC 3834).
    "Auto-Submitted: auto-generated",
    "",
    ...chunksOf(Buffer.from(`${lines.join("\r\n")}\r\n`).toString("base64"), LINE_CHARS),
    "",
  ].join("\r\n");
}

/** ASCII is unchanged; other text becomes encoded words, each on a separate line (RFC 2047 §2). */
function encodeHeader(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes("=?") && text.length <= LINE_CHARS - "Subject: ".length) return text;
  const words: string[] = [];
  let word = "";
  for (const character of text) {
    if (Buffer.byteLength(word + character) > WORD_BYTES) {
      words.push(word);
      word = "";
    }
    word += character;
  }
  return [...words, word].map((each) => `=?utf-8?B?${Buffer.from(each).toString("base64")}?=`).join("\r\n ");
}

function chunksOf(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}

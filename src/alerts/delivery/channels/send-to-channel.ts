import type { Alert } from "../../alert.ts";
import { recipientsIn } from "../../channel-kind.ts";
import { describeAlert } from "../../describe-alert.ts";
import type { Mailer } from "../../mail-call.ts";
import type { CallWebhook, WebhookAnswer } from "../../webhook-call.ts";
import { secretsAt, type Webhook } from "../../webhook.ts";
import { signedHeaders, type SignedMessage } from "../webhook-signature.ts";
import type { ChannelMessage } from "./channel-message.ts";
import { formatForDiscord } from "./discord.ts";
import { formatForEmail } from "./email.ts";
import { formatForPagerDuty } from "./pagerduty.ts";
import { formatForSlack } from "./slack.ts";
import { formatForTeams } from "./teams.ts";

/** The ways out of this process. */
export interface Ways {
  readonly call: CallWebhook;
  /** The mail server; undefined where none is configured. */
  readonly mailer?: Mailer | undefined;
  /** The list of alerts in the console; undefined where its address is unknown. */
  readonly alertsUrl?: string | undefined;
}

const NO_MAILER: WebhookAnswer = { status: null, problem: "No mail server is configured: set TOLLGATE_SMTP_URL.", retryAfterMs: null };

/** Sends a message in the format of the webhook's kind. */
export function sendToChannel(webhook: Webhook, message: SignedMessage, ways: Ways, signal: AbortSignal): Promise<WebhookAnswer> {
  const { kind, url, allowPrivate, secret } = webhook;
  const post = (to: string, body: string, headers = {}): Promise<WebhookAnswer> =>
    ways.call({ url: to, allowPrivate, headers, body }, signal);
  if (kind === "webhook") return post(url, message.body, signedHeaders(message, secretsAt(webhook, message.atMs)));
  const shown = readMessage(message, ways.alertsUrl);
  if (kind === "slack") return post(secret.reveal(), formatForSlack(shown));
  if (kind === "teams") return post(secret.reveal(), formatForTeams(shown));
  if (kind === "discord") return post(secret.reveal(), formatForDiscord(shown));
  if (kind === "pagerduty") return post(url, formatForPagerDuty(shown, secret));
  const { mailer } = ways;
  if (!mailer) return Promise.resolve(NO_MAILER);
  const to = recipientsIn(url);
  return mailer.send({ to, text: formatForEmail(shown, mailer.from, to) }, signal);
}

/** The stored body, in words. */
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

import type { Secret } from "../../../lib/secret/secret.ts";
import { shorten, type ChannelMessage } from "./channel-message.ts";

/** The limit of PagerDuty for `summary`. */
const MAX_SUMMARY = 1024;

/**
 * An event for the Events API v2 of PagerDuty: an alert triggers an incident, and its end resolves the incident with the same `dedup_key`.
 * Repeated attempts have the same key too, and do not trigger another one.
 */
export function formatForPagerDuty(message: ChannelMessage, routingKey: Secret): string {
  const { id, kind, summary, severity, timestamp, data, resolves, link } = message;
  const common = { routing_key: routingKey.reveal(), client: "Tollgate", ...(link !== undefined && { client_url: link }) };
  if (resolves !== undefined) return JSON.stringify({ ...common, event_action: "resolve", dedup_key: resolves });
  const payload = { summary: shorten(summary, MAX_SUMMARY), source: "tollgate", severity, timestamp, class: kind, custom_details: data };
  return JSON.stringify({ ...common, event_action: "trigger", dedup_key: id, payload });
}

import { makeLink } from "../../../access/one-time-link.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import type { Platform } from "../../platform.ts";
import { timeSchema, viewTime } from "../fields/times.ts";
import { personSchema } from "./person-view.ts";

const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

export const invitationSchema = {
  title: "Invitation",
  type: "object",
  nullable: true,
  description: "The one-time link to set a password. Null when it was shown before.",
  required: ["url", "expires_at"],
  properties: { url: { type: "string" }, expires_at: timeSchema },
} as const satisfies Schema;

export const invitedPersonSchema = {
  ...personSchema,
  title: "InvitedPerson",
  required: [...personSchema.required, "invitation"],
  properties: { ...personSchema.properties, invitation: invitationSchema },
} as const satisfies Schema;

/** A new link: the record to store, and the URL to show once. */
export function makeInvitation(platform: Platform) {
  const { token, link } = makeLink(LIFETIME_MS, platform.nowMs());
  return { invitation: link, shown: { url: welcomeUrl(platform.publicUrl(), token.reveal()), expires_at: viewTime(link.expiresAtMs) } };
}

/** The token is in the URL fragment, which browsers do not send: it appears in no log. */
export function welcomeUrl(address: string, token: string): string {
  return `${address}/welcome#${token}`;
}

import type { PersonView } from "../../views.ts";
import { inTime } from "../../words.ts";

/** What there is to do with a link. */
export function describeInvitation({ name, invitation }: PersonView & { readonly invitation: Invitation | null }): string {
  if (invitation === null) return `The link for ${name} was shown before. people invitation makes a new one.\n`;
  return `${invitation.url}\n\nSend this to ${name}: it lets them choose a password, once, until ${inTime(invitation.expires_at)} UTC. It is shown this once.\n`;
}

export interface Invitation {
  readonly url: string;
  readonly expires_at: string;
}

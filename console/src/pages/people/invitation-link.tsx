import type { ReactNode } from "react";
import type { Invitation } from "../../../../platform-client/types.ts";
import { ago } from "../../parts/format/format.ts";
import { SecretDialog } from "../../parts/overlays/secret-dialog.tsx";

interface InvitationLinkProps {
  readonly title: string;
  readonly name: string;
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

/** Shows an invitation link once. Tollgate sends no email. */
export function InvitationLink({ title, name, invitation, onClose }: InvitationLinkProps): ReactNode {
  return (
    <SecretDialog
      title={title}
      noun="link"
      secret={invitation?.url ?? null}
      remedy="Create a new link on the person's page."
      onClose={onClose}
    >
      <p className="text-ink-2">
        Send it to {name} through a private channel. It works once and expires {invitation && ago(invitation.expires_at)}. You can create a
        new one at any time.
      </p>
    </SecretDialog>
  );
}

import type { ReactNode } from "react";
import type { Invitation } from "../../platform/interface.ts";
import { ago } from "../../parts/format.ts";
import { SecretDialog } from "../../parts/secret-dialog.tsx";

interface InvitationLinkProps {
  readonly title: string;
  readonly name: string;
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

/** The link with which somebody chooses a password: shown once. Tollgate sends no mail. */
export function InvitationLink({ title, name, invitation, onClose }: InvitationLinkProps): ReactNode {
  return (
    <SecretDialog title={title} noun="link" secret={invitation?.url ?? null} remedy="Make a new link on their page." onClose={onClose}>
      <p className="text-ink-2">
        Give it to {name} by a way that only they can read. It works once, and ends {invitation && ago(invitation.expires_at)}. A new one
        can be created at any time.
      </p>
    </SecretDialog>
  );
}

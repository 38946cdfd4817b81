import type { ReactNode } from "react";
import type { Invitation } from "../../platform/interface.ts";
import { Button } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { DialogBody, DialogFooter } from "../../parts/dialog.tsx";
import { ago } from "../../parts/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { MadeBefore } from "../../parts/once-dialog.tsx";

/** The link with which somebody chooses a password: shown once. Tollgate sends no mail. */
export function InvitationLink({
  name,
  invitation,
  onClose,
}: {
  readonly name: string;
  readonly invitation: Invitation;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <>
      <DialogBody>
        {invitation ? (
          <>
            <p className="text-ink-2">
              Give this link to {name} by a way that only they can read. It works once, and ends {ago(invitation.expires_at)}.
            </p>
            <Code label="the link" text={invitation.url} />
            <Notice tone="warn">It is not shown again. A new one can be made at any time.</Notice>
          </>
        ) : (
          <MadeBefore noun="link" remedy="Make a new link on their page." />
        )}
      </DialogBody>
      <DialogFooter>
        <Button weight="primary" onClick={onClose}>
          Done
        </Button>
      </DialogFooter>
    </>
  );
}

import { useState, type ReactNode } from "react";
import { useChange } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt, refusalBeside } from "../../parts/refusal.ts";
import { InvitationLink } from "./invitation-link.tsx";
import { roleIn, RoleFields, type RoleChoice } from "./role-fields.tsx";

/** Adds somebody, and shows the link to invite them with. */
export function InvitePerson({ onClose }: { readonly onClose: () => void }): ReactNode {
  const invite = useChange("invitePerson");
  const invited = invite.data;
  return (
    <Dialog open onClose={onClose} title={invited ? `${invited.name} is invited` : "Invite a person"}>
      {invited ? (
        <InvitationLink name={invited.name} invitation={invited.invitation} onClose={onClose} />
      ) : (
        <InviteForm invite={invite} onClose={onClose} />
      )}
    </Dialog>
  );
}

function InviteForm({
  invite,
  onClose,
}: {
  readonly invite: ReturnType<typeof useChange<"invitePerson">>;
  readonly onClose: () => void;
}): ReactNode {
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [choice, setChoice] = useState<RoleChoice>({ role: "member", account: null });
  const wrong = refusalBeside(invite.error, ["email", "name", "account"]);
  return (
    <form
      className="contents"
      onSubmit={(event) => {
        event.preventDefault();
        invite.mutate({ body: { email, name, ...roleIn(choice) } });
      }}
    >
      <DialogBody>
        <TextField
          label="Email"
          type="email"
          required
          autoFocus
          value={email}
          onChange={({ target }) => setEmail(target.value)}
          error={refusalAt(invite.error, "email")}
        />
        <TextField
          label="Name"
          required
          maxLength={100}
          value={name}
          onChange={({ target }) => setName(target.value)}
          error={refusalAt(invite.error, "name")}
        />
        <RoleFields choice={choice} onChoose={setChoice} error={refusalAt(invite.error, "account")} />
        {wrong && <Notice tone="bad">{wrong}</Notice>}
      </DialogBody>
      <DialogFooter>
        <Cancel onClick={onClose} />
        <Button type="submit" weight="primary" busy={invite.isPending}>
          Invite
        </Button>
      </DialogFooter>
    </form>
  );
}

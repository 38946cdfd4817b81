import { useState, type ReactNode } from "react";
import { useApiMutation } from "../../platform/use-api.ts";
import { TextField } from "../../parts/inputs/field.tsx";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { InvitationLink } from "./invitation-link.tsx";
import { roleIn, RoleFields, type RoleChoice } from "./role-fields.tsx";

/** Invites a person and shows the invitation link. */
export function InvitePerson({ onClose }: { readonly onClose: () => void }): ReactNode {
  const invite = useApiMutation("invitePerson");
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [choice, setChoice] = useState<RoleChoice>({ role: "member", account: null });
  const invitation = invite.data?.invitation;
  if (invitation) return <InvitationLink title={`${name} is invited`} name={name} invitation={invitation} onClose={onClose} />;
  return (
    <FormDialog
      title="Invite person"
      action="Invite person"
      change={invite}
      fields={["email", "name", "account"]}
      onSubmit={() => invite.mutate({ body: { email, name, ...roleIn(choice) } })}
      onClose={onClose}
    >
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
    </FormDialog>
  );
}

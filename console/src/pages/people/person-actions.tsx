import { useState, type ReactNode } from "react";
import type { Person } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/overlays/confirm.tsx";
import { Menu, type MenuItem } from "../../parts/overlays/menu.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";
import { useMe } from "../../shell/me.ts";
import { Archive, Delete, Restore } from "./person-archive.tsx";
import { InvitationLink } from "./invitation-link.tsx";
import { changesTo } from "../../platform/changes.ts";
import { TextField } from "../../parts/inputs/field.tsx";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { roleIn, RoleFields, type RoleChoice } from "./role-fields.tsx";

type Action = "edit" | "invite" | "sessions" | "disable" | "enable" | "archive" | "restore" | "delete";

/** An operator's actions on a person. */
export function PersonActions({ person }: { readonly person: Person }): ReactNode {
  const [action, setAction] = useState<Action>();
  const isSelf = useMe().person?.id === person.id;
  const close = (): void => setAction(undefined);
  const item = (label: string, opens: Action, danger = false): MenuItem => ({ label, onSelect: () => setAction(opens), danger });
  const items: readonly MenuItem[] = [
    ...(person.archived_at === null ? [] : [item("Restore", "restore")]),
    ...(person.disabled_at === null ? [item("Create new link", "invite"), item("End all sessions", "sessions")] : []),
    ...(person.disabled_at !== null && person.archived_at === null ? [item("Enable", "enable")] : []),
    // Operators cannot disable themselves.
    ...(isSelf || person.disabled_at !== null ? [] : [item("Disable", "disable", true)]),
    ...(isSelf || person.archived_at !== null ? [] : [item("Archive", "archive", true)]),
    ...(isSelf ? [] : [item("Delete", "delete", true)]),
  ];
  return (
    <>
      <Button onClick={() => setAction("edit")}>Edit</Button>
      <Menu label={`More actions for ${person.name}`} items={items} />
      {action === "edit" && <EditPerson person={person} onClose={close} />}
      {action === "invite" && <InviteAgain person={person} onClose={close} />}
      {action === "sessions" && <EndSessions person={person} onClose={close} />}
      {action === "disable" && <Disable person={person} onClose={close} />}
      {action === "enable" && <Enable person={person} onClose={close} />}
      {action === "archive" && <Archive person={person} onClose={close} />}
      {action === "restore" && <Restore person={person} onClose={close} />}
      {action === "delete" && <Delete person={person} onClose={close} />}
    </>
  );
}

interface DialogProps {
  readonly person: Person;
  readonly onClose: () => void;
}

function InviteAgain({ person, onClose }: DialogProps): ReactNode {
  const invite = useApiMutation("renewInvitation");
  const invitation = invite.data?.invitation;
  if (invitation) {
    return <InvitationLink title={`New link for ${person.name}`} name={person.name} invitation={invitation} onClose={onClose} />;
  }
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Create a new link for ${person.name}?`}
      action="Create new link"
      weight="primary"
      change={invite}
      onConfirm={() => invite.mutate({ path: { id: person.id } })}
    >
      The link lets them choose a password. Earlier links stop working. Using it ends all of their sessions.
    </Confirm>
  );
}

function EndSessions({ person, onClose }: DialogProps): ReactNode {
  const end = useApiMutation("endSessions");
  const ended = (): void => {
    onClose();
    toast(`All sessions of ${person.name} ended.`);
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={`End all sessions of ${person.name}?`}
      action="End all sessions"
      change={end}
      onConfirm={() => end.mutate({ path: { id: person.id } }, { onSuccess: ended })}
    >
      They must sign in again in every browser. Their access tokens keep working.
    </Confirm>
  );
}

function Disable({ person, onClose }: DialogProps): ReactNode {
  const update = useApiMutation("updatePerson");
  const disabled = (): void => {
    onClose();
    toast(`${person.name} disabled.`);
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Disable ${person.name}?`}
      action="Disable"
      change={update}
      onConfirm={() => update.mutate({ path: { id: person.id }, body: { disabled: true } }, { onSuccess: disabled })}
    >
      Ends their sessions and access tokens immediately. They cannot sign in until an operator enables them. Their account's keys keep
      working.
    </Confirm>
  );
}

function Enable({ person, onClose }: DialogProps): ReactNode {
  const update = useApiMutation("updatePerson");
  const enabled = (): void => {
    onClose();
    toast(`${person.name} can sign in again.`);
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Enable ${person.name}?`}
      action="Enable"
      weight="primary"
      change={update}
      onConfirm={() => update.mutate({ path: { id: person.id }, body: { disabled: false } }, { onSuccess: enabled })}
    >
      They can sign in again with their previous role. Their earlier access tokens stay revoked.
    </Confirm>
  );
}

/** Edits a person's name and role. */
function EditPerson({ person, onClose }: { readonly person: Person; readonly onClose: () => void }): ReactNode {
  const [original] = useState(person);
  const update = useApiMutation("updatePerson");
  const [name, setName] = useState(person.name);
  const [choice, setChoice] = useState<RoleChoice>({ role: person.role, account: person.account });
  const isRoleChanged = choice.role !== original.role || (choice.role === "member" && choice.account !== original.account);
  const updated = (): void => {
    onClose();
    toast(`${name} updated.`);
  };
  const submit = (): void =>
    update.mutate(
      { path: { id: original.id }, body: { ...changesTo(original, { name }), ...(isRoleChanged && roleIn(choice)) } },
      { onSuccess: updated },
    );
  return (
    <FormDialog
      title={`Edit ${original.name}`}
      action="Save"
      change={update}
      fields={["name", "account"]}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        maxLength={100}
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={refusalAt(update.error, "name")}
      />
      <RoleFields choice={choice} onChoose={setChoice} error={refusalAt(update.error, "account")} />
      {isRoleChanged && (
        <Notice tone="warn">
          {person.role === "member"
            ? "Ends their sessions and revokes their access tokens. They must sign in again."
            : "Ends their sessions: they must sign in again. Their access tokens are limited to the new role."}
        </Notice>
      )}
    </FormDialog>
  );
}

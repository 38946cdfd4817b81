import { useState, type ReactNode } from "react";
import type { Person } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { toast } from "../../parts/toasts.tsx";
import { useMe } from "../../shell/me.ts";
import { EditPerson } from "./edit-person.tsx";
import { InvitationLink } from "./invitation-link.tsx";

type Doing = "role" | "invite" | "sessions" | "disable" | "enable";

/** What an operator can do about somebody. */
export function PersonActions({ person }: { readonly person: Person }): ReactNode {
  const [doing, setDoing] = useState<Doing>();
  const isSelf = useMe().person?.id === person.id;
  const close = (): void => setDoing(undefined);
  const items: MenuItem[] = person.disabled_at
    ? [{ label: "Enable", onSelect: () => setDoing("enable") }]
    : [
        { label: "Create link", onSelect: () => setDoing("invite") },
        { label: "End all sessions", onSelect: () => setDoing("sessions") },
        // Nobody can shut themselves out by mistake.
        ...(isSelf ? [] : [{ label: "Disable", onSelect: () => setDoing("disable"), danger: true }]),
      ];
  return (
    <>
      <Button onClick={() => setDoing("role")}>Edit</Button>
      <Menu label={`More for ${person.name}`} items={items} />
      {doing === "role" && <EditPerson person={person} onClose={close} />}
      {doing === "invite" && <InviteAgain person={person} onClose={close} />}
      {doing === "sessions" && <EndSessions person={person} onClose={close} />}
      {doing === "disable" && <Disable person={person} onClose={close} />}
      {doing === "enable" && <Enable person={person} onClose={close} />}
    </>
  );
}

interface DoingProps {
  readonly person: Person;
  readonly onClose: () => void;
}

function InviteAgain({ person, onClose }: DoingProps): ReactNode {
  const invite = useChange("inviteAgain");
  const invitation = invite.data?.invitation;
  if (invitation) {
    return <InvitationLink title={`A new link for ${person.name}`} name={person.name} invitation={invitation} onClose={onClose} />;
  }
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Create a new link for ${person.name}?`}
      action="Create link"
      weight="primary"
      change={invite}
      onConfirm={() => invite.mutate({ path: { id: person.id } })}
    >
      With it they choose a password. An earlier link stops working, and when this one is used every session of theirs ends.
    </Confirm>
  );
}

function EndSessions({ person, onClose }: DoingProps): ReactNode {
  const end = useChange("endSessions");
  const ended = (): void => {
    onClose();
    toast(`Every session of ${person.name} has ended.`);
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={`End every session of ${person.name}?`}
      action="End the sessions"
      change={end}
      onConfirm={() => end.mutate({ path: { id: person.id } }, { onSuccess: ended })}
    >
      They have to sign in again in every browser. Their access tokens go on.
    </Confirm>
  );
}

function Disable({ person, onClose }: DoingProps): ReactNode {
  const update = useChange("updatePerson");
  const disabled = (): void => {
    onClose();
    toast(`${person.name} is shut out.`);
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
      Their sessions and access tokens end at once, and they cannot sign in until somebody enables them. Keys of their account go on.
    </Confirm>
  );
}

function Enable({ person, onClose }: DoingProps): ReactNode {
  const update = useChange("updatePerson");
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
      They can sign in again, and may do what they could before. Their earlier access tokens stay ended.
    </Confirm>
  );
}

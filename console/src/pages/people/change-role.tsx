import { useState, type ReactNode } from "react";
import type { Person } from "../../platform/interface.ts";
import { changesTo } from "../../platform/changes.ts";
import { useChange } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt, refusalBeside } from "../../parts/refusal.ts";
import { toast } from "../../parts/toasts.tsx";
import { roleIn, RoleFields, type RoleChoice } from "./role-fields.tsx";

/** Changes what somebody is called and may do. */
export function ChangeRole({ person, onClose }: { readonly person: Person; readonly onClose: () => void }): ReactNode {
  const [begun] = useState(person);
  const update = useChange("updatePerson");
  const [name, setName] = useState(person.name);
  const [choice, setChoice] = useState<RoleChoice>({ role: person.role, account: person.account });
  const isOther = choice.role !== begun.role || (choice.role === "member" && choice.account !== begun.account);
  const wrong = refusalBeside(update.error, ["name", "account"]);
  const changed = (): void => {
    onClose();
    toast(`${name} was changed.`);
  };
  return (
    <Dialog open onClose={onClose} title={`Edit ${person.name}`}>
      <form
        className="contents"
        onSubmit={(event) => {
          event.preventDefault();
          update.mutate(
            { path: { id: person.id }, body: { ...changesTo(begun, { name }), ...(isOther && roleIn(choice)) } },
            { onSuccess: changed },
          );
        }}
      >
        <DialogBody>
          <TextField
            label="Name"
            required
            maxLength={100}
            value={name}
            onChange={({ target }) => setName(target.value)}
            error={refusalAt(update.error, "name")}
          />
          <RoleFields choice={choice} onChoose={setChoice} error={refusalAt(update.error, "account")} />
          {isOther && (
            <Notice tone="warn">
              {person.role === "member"
                ? "Their sessions end and their access tokens are revoked. They sign in again."
                : "Their sessions end, and they sign in again. Their access tokens reach no further than they do."}
            </Notice>
          )}
          {wrong && <Notice tone="bad">{wrong}</Notice>}
        </DialogBody>
        <DialogFooter>
          <Cancel onClick={onClose} />
          <Button type="submit" weight="primary" busy={update.isPending}>
            Save
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

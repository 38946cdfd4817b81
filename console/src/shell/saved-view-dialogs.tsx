import { Pencil, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { SavedView } from "../../../platform-client/types.ts";
import { IconButton } from "../parts/button.tsx";
import { Dialog, DialogBody } from "../parts/overlays/dialog.tsx";
import { TextField } from "../parts/inputs/field.tsx";
import { FormDialog } from "../parts/overlays/form-dialog.tsx";
import { Notice } from "../parts/notice.tsx";
import { refusalAt } from "../parts/refusal.ts";
import { toast } from "../parts/overlays/toasts.tsx";
import { useApiMutation } from "../platform/use-api.ts";

interface SaveViewProps {
  readonly view: Pick<SavedView, "page" | "query">;
  readonly onClose: () => void;
}

/** Saves the page and its filters under a name. */
export function SaveView({ view, onClose }: SaveViewProps): ReactNode {
  const create = useApiMutation("createView");
  const [name, setName] = useState("");
  const submit = (): void =>
    create.mutate(
      { body: { ...view, name } },
      {
        onSuccess() {
          onClose();
          toast(`View ${name} saved.`);
        },
      },
    );
  return (
    <FormDialog
      title="Save view"
      about="Saves this page with its filters, for you alone."
      action="Save"
      change={create}
      fields={["name"]}
      onSubmit={submit}
      onClose={onClose}
    >
      <NameField name={name} onChange={setName} error={refusalAt(create.error, "name")} />
    </FormDialog>
  );
}

/** All views, each with its buttons to rename and delete it. */
export function ManageViews({ views, onClose }: { readonly views: readonly SavedView[]; readonly onClose: () => void }): ReactNode {
  const [renamed, setRenamed] = useState<SavedView>();
  const remove = useApiMutation("removeView");
  if (renamed) return <RenameView view={renamed} onClose={() => setRenamed(undefined)} />;
  return (
    <Dialog open onClose={onClose} title="Saved views">
      <DialogBody>
        {views.length === 0 && <p className="text-ink-3">No saved views.</p>}
        <ul aria-label="Saved views" className="flex flex-col">
          {views.map((view) => (
            <li key={view.id} className="flex items-center gap-2 border-b border-line py-1 last:border-0">
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium">{view.name}</span>
                <span className="block truncate text-sm text-ink-3">{view.page}</span>
              </span>
              <IconButton label={`Rename ${view.name}`} onClick={() => setRenamed(view)}>
                <Pencil size={14} aria-hidden />
              </IconButton>
              <IconButton label={`Delete ${view.name}`} onClick={() => remove.mutate({ path: { id: view.id } })}>
                <Trash2 size={14} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
        {remove.error && <Notice tone="bad">{remove.error.message}</Notice>}
      </DialogBody>
    </Dialog>
  );
}

function RenameView({ view, onClose }: { readonly view: SavedView; readonly onClose: () => void }): ReactNode {
  const update = useApiMutation("updateView");
  const [name, setName] = useState(view.name);
  const submit = (): void => update.mutate({ path: { id: view.id }, body: { name } }, { onSuccess: onClose });
  return (
    <FormDialog title={`Rename ${view.name}`} action="Save" change={update} fields={["name"]} onSubmit={submit} onClose={onClose}>
      <NameField name={name} onChange={setName} error={refusalAt(update.error, "name")} />
    </FormDialog>
  );
}

interface NameFieldProps {
  readonly name: string;
  readonly onChange: (name: string) => void;
  readonly error: string | undefined;
}

function NameField({ name, onChange, error }: NameFieldProps): ReactNode {
  return <TextField label="Name" required maxLength={100} value={name} onChange={({ target }) => onChange(target.value)} error={error} />;
}

import { useState, type ReactNode } from "react";
import { useChange } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { formFields } from "../../parts/form.ts";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt, refusalBeside } from "../../parts/refusal.ts";
import { AccountPicker } from "../../parts/thing-pickers.tsx";
import { useMe } from "../../shell/me.ts";
import { ALLOWANCE_FIELDS, CapFields, LimitFields, readAllowanceFields } from "../../spender/allowance-fields.tsx";
import { ExpiryField, readExpiry } from "../../spender/expiry-field.tsx";
import { ModelsField } from "../../spender/models-field.tsx";
import { NewKeyDialog } from "./new-key-dialog.tsx";

/** Makes a key, and shows it: once. */
export function CreateKey({ account, onClose }: { readonly account?: string; readonly onClose: () => void }): ReactNode {
  const me = useMe();
  const create = useChange("createKey");
  const [payer, setPayer] = useState<string | null>(account ?? me.account ?? "default");
  const [models, setModels] = useState<readonly string[]>(["*"]);
  const beside = refusalBeside(create.error, ["name", "account", "expires_at", ...ALLOWANCE_FIELDS]);
  if (create.data) return <NewKeyDialog made={create.data} onClose={onClose} />;
  const submit = (form: HTMLFormElement): void => {
    const { name } = formFields(form, "name");
    create.mutate({ body: { name, models, ...(payer !== null && { account: payer }), ...readAllowanceFields(form), ...readExpiry(form) } });
  };
  return (
    <Dialog open onClose={onClose} title="Create key" wide>
      <form
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          submit(event.currentTarget);
        }}
      >
        <DialogBody>
          <div className="grid gap-3 sm:grid-cols-2">
            <TextField
              label="Name"
              name="name"
              required
              maxLength={100}
              autoFocus
              hint="What the key is for."
              error={refusalAt(create.error, "name")}
            />
            {me.isOperator && (
              <AccountPicker placeholder="default" value={payer} onPick={setPayer} error={refusalAt(create.error, "account")} />
            )}
          </div>
          <ModelsField models={models} onChange={setModels} error={refusalAt(create.error, "models")} />
          <LimitFields refusal={create.error} />
          <CapFields refusal={create.error} />
          <ExpiryField error={refusalAt(create.error, "expires_at")} />
          {beside && <Notice tone="bad">{beside}</Notice>}
        </DialogBody>
        <DialogFooter>
          <Cancel onClick={onClose} />
          <Button type="submit" weight="primary" busy={create.isPending}>
            Create key
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

import { useState, type ReactNode } from "react";
import { useApiMutation } from "../../platform/use-api.ts";
import { TextField } from "../../parts/field.tsx";
import { formFields } from "../../parts/form.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { AccountPicker } from "../../parts/resource-pickers.tsx";
import { useMe } from "../../shell/me.ts";
import { BreakdownFields } from "../../limits-and-usage/breakdown-fields.tsx";
import { POLICY_FIELDS, CapFields, LimitFields, readLimitFields } from "../../limits-and-usage/limit-fields.tsx";
import { ExpiryField, readExpiry } from "../../limits-and-usage/expiry-field.tsx";
import { withPending } from "../../limits-and-usage/model-input.tsx";
import { ModelsField } from "../../limits-and-usage/models-field.tsx";
import { NewKeyDialog } from "./new-key-dialog.tsx";

const FIELDS = ["name", "account", "expires_at", ...POLICY_FIELDS];

/** Creates a key and shows it once. */
export function CreateKey({ account, onClose }: { readonly account?: string; readonly onClose: () => void }): ReactNode {
  const me = useMe();
  const create = useApiMutation("createKey");
  const [payer, setPayer] = useState<string | null>(account ?? me.account ?? "default");
  const [models, setModels] = useState<readonly string[]>(["*"]);
  if (create.data) return <NewKeyDialog created={create.data} onClose={onClose} />;
  const submit = (form: HTMLFormElement): void => {
    const { name } = formFields(form, "name");
    create.mutate({
      body: {
        name,
        models: withPending(form, models),
        ...(payer !== null && { account: payer }),
        ...readLimitFields(form),
        ...readExpiry(form),
      },
    });
  };
  return (
    <FormDialog title="Create key" wide action="Create key" change={create} fields={FIELDS} onSubmit={submit} onClose={onClose}>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Name"
          name="name"
          required
          maxLength={100}
          autoFocus
          hint="The purpose of the key."
          error={refusalAt(create.error, "name")}
        />
        {me.isOperator && (
          <AccountPicker placeholder="default" value={payer} onPick={setPayer} error={refusalAt(create.error, "account")} />
        )}
      </div>
      <ModelsField models={models} onChange={setModels} error={refusalAt(create.error, "models")} />
      <LimitFields refusal={create.error} />
      <CapFields refusal={create.error} />
      <BreakdownFields refusal={create.error} />
      <ExpiryField error={refusalAt(create.error, "expires_at")} />
    </FormDialog>
  );
}

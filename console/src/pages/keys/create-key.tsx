import { useState, type ReactNode } from "react";
import type { Key } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { TextField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { AccountPicker } from "../../parts/inputs/resource-pickers.tsx";
import { useMe } from "../../shell/me.ts";
import { BreakdownFields } from "../../limits-and-usage/breakdown-fields.tsx";
import { POLICY_FIELDS, CapFields, LimitFields, readLimitFields } from "../../limits-and-usage/limit-fields.tsx";
import { ExpiryField, readExpiry } from "../../limits-and-usage/expiry-field.tsx";
import { withPending } from "../../limits-and-usage/model-input.tsx";
import { ModelsField } from "../../limits-and-usage/models-field.tsx";
import { NewKeyDialog } from "./new-key-dialog.tsx";

const MAX_NAME = 100;
const FIELDS = ["name", "account", "expires_at", ...POLICY_FIELDS];

interface CreateKeyProps {
  readonly account?: string;
  /** A key whose settings fill the form. */
  readonly like?: Key;
  readonly onClose: () => void;
}

/** Creates a key and shows it once. */
export function CreateKey({ account, like, onClose }: CreateKeyProps): ReactNode {
  const me = useMe();
  const create = useApiMutation("createKey");
  const [payer, setPayer] = useState<string | null>(like?.account ?? account ?? me.account ?? "default");
  const [models, setModels] = useState<readonly string[]>(like?.models ?? ["*"]);
  const expiry = like?.expires_at ?? null;
  // The expiry of an expired key cannot be kept.
  const hasExpired = expiry !== null && Date.parse(expiry) <= Date.now();
  const kept = hasExpired ? null : expiry;
  if (create.data) return <NewKeyDialog created={create.data} onClose={onClose} />;
  const submit = (form: HTMLFormElement): void => {
    const { name } = formFields(form, "name");
    create.mutate({
      body: {
        name,
        models: withPending(form, models),
        ...(payer !== null && { account: payer }),
        ...readLimitFields(form),
        ...(kept !== null && { expires_at: kept }),
        ...readExpiry(form),
      },
    });
  };
  return (
    <FormDialog
      title={like ? `Clone key “${like.name}”` : "Create key"}
      wide
      action="Create key"
      change={create}
      fields={FIELDS}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Name"
          name="name"
          required
          maxLength={MAX_NAME}
          autoFocus
          defaultValue={like && nameOfClone(like.name)}
          hint="The purpose of the key."
          error={refusalAt(create.error, "name")}
        />
        {me.isOperator && (
          <AccountPicker placeholder="default" value={payer} onPick={setPayer} error={refusalAt(create.error, "account")} />
        )}
      </div>
      <ModelsField models={models} onChange={setModels} error={refusalAt(create.error, "models")} />
      <LimitFields {...(like && { limits: like.limits })} refusal={create.error} />
      <CapFields {...(like && { caps: like.caps })} refusal={create.error} />
      <BreakdownFields limits={like?.limits} caps={like?.caps} refusal={create.error} />
      <ExpiryField current={kept} initial={hasExpired ? "30" : "none"} error={refusalAt(create.error, "expires_at")} />
    </FormDialog>
  );
}

function nameOfClone(name: string): string {
  const suffix = " (copy)";
  return `${name.slice(0, MAX_NAME - suffix.length)}${suffix}`;
}

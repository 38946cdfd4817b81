import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { TextField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { toast } from "../../parts/overlays/toasts.tsx";
import { useApiMutation } from "../../platform/use-api.ts";
import { BreakdownFields } from "../../limits-and-usage/breakdown-fields.tsx";
import { POLICY_FIELDS, CapFields, LimitFields, readLimitFields } from "../../limits-and-usage/limit-fields.tsx";
import { withPending } from "../../limits-and-usage/model-input.tsx";
import { ModelsField } from "../../limits-and-usage/models-field.tsx";
import { PriceListField, readPriceList } from "./price-list-field.tsx";
import { CreditLineField, LowCreditField, readCreditLine, readLowCredit } from "./credit-fields.tsx";
import { readShowCredit, ShowCreditField } from "./show-credit-field.tsx";

const FIELDS = ["id", "name", "credit_line", "low_credit", "price_list", ...POLICY_FIELDS];

export function CreateAccount({ onClose }: { readonly onClose: () => void }): ReactNode {
  const create = useApiMutation("createAccount");
  const navigate = useNavigate();
  const [models, setModels] = useState<readonly string[]>(["*"]);
  const submit = (form: HTMLFormElement): void => {
    const { id, name } = formFields(form, "id", "name");
    const policy = { models: withPending(form, models), ...readLimitFields(form), ...readCreditLine(form), ...readLowCredit(form) };
    const body = { id, name, ...policy, ...readShowCredit(form), ...readPriceList(form) };
    const done = (): void => {
      toast(`Account ${id} created. It has no credit yet.`);
      void navigate({ to: "/accounts/$id", params: { id } });
    };
    create.mutate({ body }, { onSuccess: done });
  };
  return (
    <FormDialog
      title="Create account"
      about="A new account has no credit. Grant credit before its keys are used."
      wide
      action="Create account"
      change={create}
      fields={FIELDS}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="ID"
          name="id"
          required
          autoFocus
          maxLength={63}
          hint="a-z, 0-9, dot, dash and underscore. Cannot be changed."
          error={refusalAt(create.error, "id")}
        />
        <TextField label="Name" name="name" required maxLength={100} hint="Display name." error={refusalAt(create.error, "name")} />
      </div>
      <ModelsField models={models} onChange={setModels} error={refusalAt(create.error, "models")} />
      <LimitFields refusal={create.error} />
      <CapFields refusal={create.error} />
      <BreakdownFields refusal={create.error} />
      <CreditLineField error={refusalAt(create.error, "credit_line")} />
      <LowCreditField error={refusalAt(create.error, "low_credit")} />
      <ShowCreditField />
      <PriceListField current={null} error={refusalAt(create.error, "price_list")} />
    </FormDialog>
  );
}

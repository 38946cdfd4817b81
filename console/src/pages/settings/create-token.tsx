import { useState, type ReactNode } from "react";
import { base } from "../../platform/base.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { Code } from "../../parts/code.tsx";
import { SelectField, TextField, CheckField } from "../../parts/inputs/field.tsx";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { SecretDialog } from "../../parts/overlays/secret-dialog.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { type Scope, SCOPE_LABELS } from "./scope-labels.ts";
import { useMe } from "../../shell/me.ts";

const DAYS = [7, 30, 90, 365];
const DAY_MS = 86_400_000;

/** Creates an access token and shows it once. */
export function CreateToken({ onClose }: { readonly onClose: () => void }): ReactNode {
  const create = useApiMutation("createAccessToken");
  if (!create.data) return <TokenForm create={create} onClose={onClose} />;
  const { name, token } = create.data;
  return (
    <SecretDialog
      title={`Access token “${name}”`}
      noun="token"
      secret={token ?? null}
      remedy="Revoke it and create another."
      onClose={onClose}
    >
      <p className="text-ink-2">Send it as a bearer token. This request returns the token's owner:</p>
      <Code label="example" text={`curl ${location.origin}${base}/api/me \\\n  -H "Authorization: Bearer ${token}"`} />
    </SecretDialog>
  );
}

function TokenForm({
  create,
  onClose,
}: {
  readonly create: ReturnType<typeof useApiMutation<"createAccessToken">>;
  readonly onClose: () => void;
}): ReactNode {
  const [name, setName] = useState("");
  const [days, setDays] = useState("30");
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const submit = (): void => {
    const expires = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    create.mutate({ body: { name, scopes, expires_at: expires } });
  };
  return (
    <FormDialog
      title="Create access token"
      action="Create access token"
      canSubmit={scopes.length > 0}
      change={create}
      fields={["name"]}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="The purpose, such as “nightly report”."
        required
        autoFocus
        maxLength={100}
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={refusalAt(create.error, "name")}
      />
      <SelectField
        label="Expires in"
        choices={DAYS.map((value) => ({ value: String(value), label: `${value} days` }))}
        value={days}
        onChange={({ target }) => setDays(target.value)}
      />
      <ScopeFields scopes={scopes} onScopes={setScopes} />
    </FormDialog>
  );
}

function ScopeFields({
  scopes,
  onScopes,
}: {
  readonly scopes: readonly Scope[];
  readonly onScopes: (scopes: readonly Scope[]) => void;
}): ReactNode {
  const { isOperator } = useMe();
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">Scopes</legend>
      <div className="grid gap-x-4 gap-y-1 sm:grid-cols-2">
        {SCOPE_LABELS.filter(({ isForOperators }) => isOperator || !isForOperators).map(({ scope, label }) => (
          <CheckField
            key={scope}
            label={label}
            title={scope}
            checked={scopes.includes(scope)}
            onChange={({ target }) => onScopes(target.checked ? [...scopes, scope] : scopes.filter((other) => other !== scope))}
          />
        ))}
      </div>
    </fieldset>
  );
}

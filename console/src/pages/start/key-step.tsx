import { useState, type ReactNode } from "react";
import type { Key, NewKey } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";
import { Notice } from "../../parts/notice.tsx";
import { AlreadyCreated } from "../../parts/overlays/secret-dialog.tsx";
import { refusalAt, refusalBeside } from "../../parts/refusal.ts";
import { AccountPicker } from "../../parts/inputs/resource-pickers.tsx";
import { SecretField } from "../../parts/inputs/secret-field.tsx";
import { useMe } from "../../shell/me.ts";

interface KeyStepProps {
  readonly existing: Key | undefined;
  /** The key that was created on this page, while it can still be shown. */
  readonly created: NewKey | undefined;
  readonly onCreated: (created: NewKey) => void;
  readonly onDone: () => void;
}

/** The second step: an API key. */
export function KeyStep({ existing, created, onCreated, onDone }: KeyStepProps): ReactNode {
  if (created?.key == null) return <CreateKeyForm existing={existing} onCreated={onCreated} onDone={onDone} />;
  return (
    <>
      <SecretField noun="key" secret={created.key} />
      <div>
        <Button weight="primary" onClick={onDone}>
          Next: make the first call
        </Button>
      </div>
    </>
  );
}

function CreateKeyForm({ existing, onCreated, onDone }: Omit<KeyStepProps, "created">): ReactNode {
  const me = useMe();
  const create = useApiMutation("createKey");
  const [account, setAccount] = useState<string | null>(me.account ?? "default");
  const formError = refusalBeside(create.error, ["name", "account"]);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        const { name } = formFields(event.currentTarget, "name");
        create.mutate({ body: { name, models: ["*"], ...(account !== null && { account }) } }, { onSuccess: onCreated });
      }}
    >
      <p className="wrap-anywhere text-ink-2">
        Clients send a key with every request. Its account pays for the usage.
        {existing && ` You already have the key “${existing.name}”. It cannot be shown again, but you can create another.`}
      </p>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Name"
          name="name"
          required
          maxLength={100}
          defaultValue="my first app"
          hint="The purpose of the key."
          error={refusalAt(create.error, "name")}
        />
        {me.isOperator && (
          <AccountPicker value={account} onPick={setAccount} hint="Pays for the usage." error={refusalAt(create.error, "account")} />
        )}
      </div>
      {formError && <Notice tone="bad">{formError}</Notice>}
      {create.data?.key === null && <AlreadyCreated noun="key" remedy="Create another, or rotate this one on its page." />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" weight="primary" busy={create.isPending}>
          Create key
        </Button>
        {existing && (
          <Button onClick={onDone} className="max-w-full">
            <span className="truncate">Continue with “{existing.name}”</span>
          </Button>
        )}
      </div>
    </form>
  );
}

import { useState, type ReactNode } from "react";
import type { Key, NewKey } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { formFields } from "../../parts/form.ts";
import { Notice } from "../../parts/notice.tsx";
import { AlreadyCreated } from "../../parts/secret-dialog.tsx";
import { refusalAt, refusalBeside } from "../../parts/refusal.ts";
import { AccountPicker } from "../../parts/resource-pickers.tsx";
import { SecretField } from "../../parts/secret-field.tsx";
import { useMe } from "../../shell/me.ts";

interface KeyStepProps {
  readonly existing: Key | undefined;
  /** The one that was made here, while it can still be shown. */
  readonly made: NewKey | undefined;
  readonly onMade: (made: NewKey) => void;
  readonly onDone: () => void;
}

/** The second step: what callers show to be let in. */
export function KeyStep({ existing, made, onMade, onDone }: KeyStepProps): ReactNode {
  if (made?.key == null) return <CreateKeyForm existing={existing} onMade={onMade} onDone={onDone} />;
  return (
    <>
      <SecretField noun="key" secret={made.key} />
      <div>
        <Button weight="primary" onClick={onDone}>
          Next: the first call
        </Button>
      </div>
    </>
  );
}

function CreateKeyForm({ existing, onMade, onDone }: Omit<KeyStepProps, "made">): ReactNode {
  const me = useMe();
  const create = useChange("createKey");
  const [account, setAccount] = useState<string | null>(me.account ?? "default");
  const beside = refusalBeside(create.error, ["name", "account"]);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        const { name } = formFields(event.currentTarget, "name");
        create.mutate({ body: { name, models: ["*"], ...(account !== null && { account }) } }, { onSuccess: onMade });
      }}
    >
      <p className="wrap-anywhere text-ink-2">
        Callers send a key with every request. It spends the credit of its account.
        {existing && ` There is a key already: “${existing.name}”. Tollgate cannot show it again, but you can create another.`}
      </p>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Name"
          name="name"
          required
          maxLength={100}
          defaultValue="my first app"
          hint="What the key is for."
          error={refusalAt(create.error, "name")}
        />
        {me.isOperator && <AccountPicker value={account} onPick={setAccount} hint="Who pays." error={refusalAt(create.error, "account")} />}
      </div>
      {beside && <Notice tone="bad">{beside}</Notice>}
      {create.data?.key === null && <AlreadyCreated noun="key" remedy="Make another, or rotate this one on its page." />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" weight="primary" busy={create.isPending}>
          Create key
        </Button>
        {existing && (
          <Button onClick={onDone} className="max-w-full">
            <span className="truncate">Go on with “{existing.name}”</span>
          </Button>
        )}
      </div>
    </form>
  );
}

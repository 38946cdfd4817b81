import { useState, type ReactNode } from "react";
import { base } from "../../platform/base.ts";
import { useChange } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../../parts/dialog.tsx";
import { SelectField, TextField } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { OnceDialog } from "../../parts/once-dialog.tsx";
import { refusalAt, refusalBeside } from "../../parts/refusal.ts";
import { ScopeFields } from "./scope-fields.tsx";
import type { Scope } from "./scope-words.ts";

const DAYS = [7, 30, 90, 365];
const DAY_MS = 86_400_000;

/** Makes a token, and shows it once. */
export function CreateToken({ onClose }: { readonly onClose: () => void }): ReactNode {
  const create = useChange("createAccessToken");
  if (!create.data) return <TokenForm create={create} onClose={onClose} />;
  const { name, token } = create.data;
  return (
    <OnceDialog title={`The token “${name}”`} noun="token" secret={token ?? null} remedy="Revoke it, and make another." onClose={onClose}>
      <p className="text-ink-2">Programs send it with every request, such as this one, which tells whose it is:</p>
      <Code label="an example" text={`curl ${location.origin}${base}/api/me \\\n  -H "Authorization: Bearer ${token}"`} />
    </OnceDialog>
  );
}

function TokenForm({
  create,
  onClose,
}: {
  readonly create: ReturnType<typeof useChange<"createAccessToken">>;
  readonly onClose: () => void;
}): ReactNode {
  const [name, setName] = useState("");
  const [days, setDays] = useState("30");
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const wrong = refusalBeside(create.error, ["name"]);
  return (
    <Dialog open onClose={onClose} title="Make an access token">
      <form
        className="contents"
        onSubmit={(event) => {
          event.preventDefault();
          const expires = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
          create.mutate({ body: { name, scopes, expires_at: expires } });
        }}
      >
        <DialogBody>
          <TextField
            label="Name"
            hint="What uses it, such as “nightly report”."
            required
            autoFocus
            maxLength={100}
            value={name}
            onChange={({ target }) => setName(target.value)}
            error={refusalAt(create.error, "name")}
          />
          <SelectField
            label="Works for"
            choices={DAYS.map((value) => ({ value: String(value), label: `${value} days` }))}
            value={days}
            onChange={({ target }) => setDays(target.value)}
          />
          <ScopeFields scopes={scopes} onScopes={setScopes} />
          {wrong && <Notice tone="bad">{wrong}</Notice>}
        </DialogBody>
        <DialogFooter>
          <Cancel onClick={onClose} />
          <Button type="submit" weight="primary" disabled={scopes.length === 0} busy={create.isPending}>
            Make the token
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

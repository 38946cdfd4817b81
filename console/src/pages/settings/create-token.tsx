import { useState, type ReactNode } from "react";
import type { CreateAccessTokenRequest } from "../../platform/interface.ts";
import { base } from "../../platform/base.ts";
import { useChange } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { Dialog, DialogBody, DialogFooter } from "../../parts/dialog.tsx";
import { CheckField, SelectField, TextField } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt, refusalBeside } from "../../parts/refusal.ts";
import { useMe } from "../../shell/me.ts";

type Scope = CreateAccessTokenRequest["scopes"][number];

const MEMBER_SCOPES: readonly Scope[] = ["accounts:read", "keys:read", "keys:write", "models:read", "usage:read"];
const OPERATOR_SCOPES: readonly Scope[] = [
  "accounts:read",
  "accounts:write",
  "alerts:read",
  "alerts:write",
  "audit:read",
  "bodies:read",
  "config:write",
  "credits:write",
  "keys:read",
  "keys:write",
  "metrics:read",
  "models:read",
  "models:write",
  "people:read",
  "people:write",
  "upstreams:read",
  "upstreams:write",
  "usage:read",
];
const DAYS = [7, 30, 90, 365];
const DAY_MS = 86_400_000;

/** Makes a token, and shows it once. */
export function CreateToken({ onClose }: { readonly onClose: () => void }): ReactNode {
  const create = useChange("createAccessToken");
  const made = create.data?.token;
  return (
    <Dialog open onClose={onClose} title={made ? "The new token" : "Make an access token"}>
      {made ? <Made token={made} onClose={onClose} /> : <TokenForm create={create} onClose={onClose} />}
    </Dialog>
  );
}

function Made({ token, onClose }: { readonly token: string; readonly onClose: () => void }): ReactNode {
  return (
    <>
      <DialogBody>
        <Notice tone="warn">Keep it now: it is not shown again.</Notice>
        <Code label="the token" text={token} />
        <Code label="an example" text={`curl ${location.origin}${base}/api/me \\\n  -H "Authorization: Bearer ${token}"`} />
      </DialogBody>
      <DialogFooter>
        <Button weight="primary" onClick={onClose}>
          I have kept it
        </Button>
      </DialogFooter>
    </>
  );
}

function TokenForm({
  create,
  onClose,
}: {
  readonly create: ReturnType<typeof useChange<"createAccessToken">>;
  readonly onClose: () => void;
}): ReactNode {
  const { isOperator } = useMe();
  const [name, setName] = useState("");
  const [days, setDays] = useState("30");
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const wrong = refusalBeside(create.error, ["name"]);
  return (
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
        <fieldset>
          <legend className="mb-1.5 text-sm font-medium">What it may do</legend>
          <div className="grid gap-1 sm:grid-cols-2">
            {(isOperator ? OPERATOR_SCOPES : MEMBER_SCOPES).map((scope) => (
              <CheckField
                key={scope}
                label={scope}
                checked={scopes.includes(scope)}
                onChange={({ target }) => setScopes(target.checked ? [...scopes, scope] : scopes.filter((other) => other !== scope))}
              />
            ))}
          </div>
        </fieldset>
        {wrong && <Notice tone="bad">{wrong}</Notice>}
      </DialogBody>
      <DialogFooter>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" weight="primary" disabled={scopes.length === 0} busy={create.isPending}>
          Make the token
        </Button>
      </DialogFooter>
    </form>
  );
}

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import type { Provider } from "../../platform/interface.ts";
import { Button } from "../../parts/button.tsx";
import { SelectField, TextField } from "../../parts/field.tsx";
import { formFields } from "../../parts/form.ts";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt, refusalBeside } from "../../parts/refusal.ts";
import { createAndTest } from "./test-upstream.ts";
import type { Added } from "./upstream-step.tsx";

interface CreateUpstreamProps {
  readonly providers: readonly Provider[];
  readonly onAdded: (added: Added) => void;
}

const FIELDS = ["id", "base_url", "credential"] as const;

/** Takes a credential for one of the providers that are known. */
export function CreateUpstream({ providers, onAdded }: CreateUpstreamProps): ReactNode {
  const client = useQueryClient();
  const create = useMutation({ mutationFn: createAndTest, onSettled: () => void client.invalidateQueries() });
  const [chosen, setChosen] = useState<Provider["id"]>(providers[0]!.id);
  const provider = providers.find(({ id }) => id === chosen)!;
  const submit = (form: HTMLFormElement): void => {
    const { id, base_url: baseUrl, credential } = formFields(form, ...FIELDS);
    const body = { id, preset: chosen, ...(baseUrl && { base_url: baseUrl }), ...(credential && { credential: credential.trim() }) };
    create.mutate(body, { onSuccess: (test) => onAdded({ id, provider, test }) });
  };
  const beside = refusalBeside(create.error, FIELDS);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        submit(event.currentTarget);
      }}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label="Provider"
          choices={providers.map(({ id, name }) => ({ value: id, label: name }))}
          value={chosen}
          onChange={({ target }) => setChosen(target.value as Provider["id"])}
          hint={provider.note ?? undefined}
        />
        <TextField
          // Another provider, another name; what was typed for this one stays.
          key={chosen}
          label="Name"
          name="id"
          required
          defaultValue={chosen}
          hint="What it is called here."
          error={refusalAt(create.error, "id")}
        />
      </div>
      <Address key={`${chosen} address`} provider={provider} error={refusalAt(create.error, "base_url")} />
      <TextField
        label={provider.needs_credential ? "Credential" : "Credential, if it needs one"}
        name="credential"
        type="password"
        autoComplete="off"
        required={provider.needs_credential}
        hint={provider.variable === null ? undefined : `What you would put into ${provider.variable}. It is kept sealed.`}
        error={refusalAt(create.error, "credential")}
      />
      {beside && <Notice tone="bad">{beside}</Notice>}
      <div>
        <Button type="submit" weight="primary" busy={create.isPending}>
          Create upstream
        </Button>
      </div>
    </form>
  );
}

/** Only where it is the customer's own, or a machine of theirs. */
function Address({ provider, error }: { readonly provider: Provider; readonly error: string | undefined }): ReactNode {
  const isOwn = provider.base_url.includes("{") || !provider.needs_credential;
  if (!isOwn) return <input type="hidden" name="base_url" value="" />;
  return <TextField label="Address" name="base_url" required defaultValue={provider.base_url} error={error} />;
}

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import type { Provider } from "../../../../platform-client/types.ts";
import { useResetOnExpiry } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { SelectField, TextField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt, refusalBeside } from "../../parts/refusal.ts";
import { createAndTest, type TestedUpstream } from "./test-upstream.ts";

interface CreateUpstreamProps {
  readonly providers: readonly Provider[];
  readonly onAdded: (added: TestedUpstream) => void;
}

const FIELDS = ["id", "base_url", "credential"] as const;

/** Creates an upstream for a known provider. */
export function CreateUpstream({ providers, onAdded }: CreateUpstreamProps): ReactNode {
  const client = useQueryClient();
  const create = useMutation({ mutationFn: createAndTest, onSettled: () => void client.invalidateQueries() });
  useResetOnExpiry(create);
  const [chosen, setChosen] = useState<Provider["id"]>(providers[0]!.id);
  const provider = providers.find(({ id }) => id === chosen)!;
  const submit = (form: HTMLFormElement): void => {
    const { id, base_url: baseUrl, credential } = formFields(form, ...FIELDS);
    const body = { id, preset: chosen, ...(baseUrl && { base_url: baseUrl }), ...(credential && { credential: credential.trim() }) };
    create.mutate(body, { onSuccess: (test) => onAdded({ id, provider, test }) });
  };
  const formError = refusalBeside(create.error, FIELDS);
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
          // Resets the ID when another provider is selected.
          key={chosen}
          label="ID"
          name="id"
          required
          defaultValue={chosen}
          hint="The name of this upstream in Tollgate."
          error={refusalAt(create.error, "id")}
        />
      </div>
      <BaseUrl key={`${chosen} base URL`} provider={provider} error={refusalAt(create.error, "base_url")} />
      <TextField
        label={provider.needs_credential ? "Credential" : "Credential (optional)"}
        name="credential"
        type="password"
        autoComplete="off"
        required={provider.needs_credential}
        hint={provider.variable === null ? undefined : `The value of ${provider.variable}. It is stored encrypted.`}
        error={refusalAt(create.error, "credential")}
      />
      {formError && <Notice tone="bad">{formError}</Notice>}
      <div>
        <Button type="submit" weight="primary" busy={create.isPending}>
          Create upstream
        </Button>
      </div>
    </form>
  );
}

/** Only for providers whose base URL depends on the customer, and for self-hosted servers. */
function BaseUrl({ provider, error }: { readonly provider: Provider; readonly error: string | undefined }): ReactNode {
  const isCustom = provider.base_url.includes("{") || !provider.needs_credential;
  if (!isCustom) return <input type="hidden" name="base_url" value="" />;
  return <TextField label="Base URL" name="base_url" required defaultValue={provider.base_url} error={error} />;
}

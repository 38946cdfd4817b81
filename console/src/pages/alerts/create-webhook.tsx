import type { ReactNode } from "react";
import { useApiMutation } from "../../platform/use-api.ts";
import { NEW_WEBHOOK } from "./webhook-draft.ts";
import { WebhookForm } from "./webhook-form.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";

/** Creates a webhook and shows its signing secret. */
export function CreateWebhook({ onClose }: { readonly onClose: () => void }): ReactNode {
  const create = useApiMutation("createWebhook");
  if (create.data) return <WebhookSecret of={create.data} onClose={onClose} />;
  return (
    <WebhookForm
      title="Create webhook"
      action="Create webhook"
      initial={NEW_WEBHOOK}
      change={create}
      onSubmit={(body) => create.mutate({ body })}
      onClose={onClose}
    />
  );
}

import type { ReactNode } from "react";
import type { NewWebhook } from "../../../../platform-client/types.ts";
import { toast } from "../../parts/overlays/toasts.tsx";
import { useApiMutation } from "../../platform/use-api.ts";
import { NEW_WEBHOOK } from "./webhook-draft.ts";
import { WebhookForm } from "./webhook-form.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";

/** Creates a webhook and shows its signing secret, if it has one. */
export function CreateWebhook({ onClose }: { readonly onClose: () => void }): ReactNode {
  const create = useApiMutation("createWebhook");
  const done = ({ kind }: NewWebhook): void => {
    if (kind === "webhook") return;
    toast("Webhook created. Send a test to check that messages arrive.");
    onClose();
  };
  if (create.data?.kind === "webhook") return <WebhookSecret of={create.data} onClose={onClose} />;
  return (
    <WebhookForm
      title="Create webhook"
      action="Create webhook"
      initial={NEW_WEBHOOK}
      change={create}
      onSubmit={(body) => create.mutate({ body }, { onSuccess: done })}
      onClose={onClose}
    />
  );
}

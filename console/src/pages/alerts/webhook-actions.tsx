import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { Webhook } from "../../../../platform-client/types.ts";
import { changesTo } from "../../platform/changes.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/overlays/confirm.tsx";
import { Menu } from "../../parts/overlays/menu.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";
import { RotateSecret } from "./rotate-secret.tsx";
import { TestWebhook } from "./test-webhook.tsx";
import { draftOf } from "./webhook-draft.ts";
import { WebhookForm } from "./webhook-form.tsx";

interface DialogProps {
  readonly of: Webhook;
  readonly onClose: () => void;
}

const DIALOGS = { test: TestWebhook, edit: EditWebhook, pause: PauseWebhook, rotate: RotateSecret, remove: RemoveWebhook } as const;

/** The actions on a webhook. */
export function WebhookActions({ of }: { readonly of: Webhook }): ReactNode {
  const [open, setOpen] = useState<keyof typeof DIALOGS>();
  const Opened = open && DIALOGS[open];
  return (
    <>
      <Button onClick={() => setOpen("test")}>Send test</Button>
      <Button onClick={() => setOpen("edit")}>Edit</Button>
      <Menu
        label={`More actions for ${of.name}`}
        items={[
          { label: of.paused ? "Resume" : "Pause", onSelect: () => setOpen("pause") },
          ...(of.kind === "webhook" ? [{ label: "Rotate secret", onSelect: () => setOpen("rotate") }] : []),
          { label: "Remove", onSelect: () => setOpen("remove"), danger: true },
        ]}
      />
      {Opened && <Opened of={of} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function EditWebhook({ of, onClose }: DialogProps): ReactNode {
  const [original] = useState(of);
  const update = useApiMutation("updateWebhook");
  const done = (): void => {
    onClose();
    toast("Webhook updated.");
  };
  return (
    <WebhookForm
      title={`Edit webhook “${of.name}”`}
      action="Save"
      initial={draftOf(original)}
      change={update}
      onSubmit={(body) => update.mutate({ path: { id: of.id }, body: changesTo(original, body) }, { onSuccess: done })}
      onClose={onClose}
    />
  );
}

function PauseWebhook({ of, onClose }: DialogProps): ReactNode {
  const update = useApiMutation("updateWebhook");
  // The state when the dialog was opened: its text must not flip while it closes.
  const [wasPaused] = useState(of.paused);
  const done = (): void => {
    onClose();
    toast(wasPaused ? "Webhook resumed." : "Webhook paused.");
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={wasPaused ? `Resume webhook “${of.name}”?` : `Pause webhook “${of.name}”?`}
      action={wasPaused ? "Resume" : "Pause"}
      weight="primary"
      change={update}
      onConfirm={() => update.mutate({ path: { id: of.id }, body: { paused: !wasPaused } }, { onSuccess: done })}
    >
      {wasPaused
        ? "Pending messages are sent now. Alerts raised during the pause are not sent."
        : "No messages are sent until the webhook is resumed. Pending messages wait. Alerts raised during the pause are not sent later."}
    </Confirm>
  );
}

function RemoveWebhook({ of, onClose }: DialogProps): ReactNode {
  const remove = useApiMutation("removeWebhook");
  const navigate = useNavigate();
  const done = (): void => {
    toast(`Webhook “${of.name}” removed.`);
    void navigate({ to: "/alerts" });
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Remove webhook “${of.name}”?`}
      action="Remove"
      change={remove}
      onConfirm={() => remove.mutate({ path: { id: of.id } }, { onSuccess: done })}
    >
      No more messages are sent. Pending messages and the delivery log are deleted. This cannot be undone.
    </Confirm>
  );
}

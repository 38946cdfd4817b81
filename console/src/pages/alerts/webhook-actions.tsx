import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { Webhook } from "../../platform/interface.ts";
import { changesTo } from "../../platform/changes.ts";
import { useChange } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Menu } from "../../parts/menu.tsx";
import { toast } from "../../parts/toasts.tsx";
import { RotateSecret } from "./rotate-secret.tsx";
import { TestWebhook } from "./test-webhook.tsx";
import { draftOf } from "./webhook-draft.ts";
import { WebhookForm } from "./webhook-form.tsx";

interface DoingProps {
  readonly of: Webhook;
  readonly onClose: () => void;
}

const DIALOGS = { test: TestWebhook, edit: EditWebhook, pause: PauseWebhook, rotate: RotateSecret, remove: RemoveWebhook } as const;

/** What can be done about a webhook. */
export function WebhookActions({ of }: { readonly of: Webhook }): ReactNode {
  const [open, setOpen] = useState<keyof typeof DIALOGS>();
  const Opened = open && DIALOGS[open];
  return (
    <>
      <Button onClick={() => setOpen("test")}>Test now</Button>
      <Button onClick={() => setOpen("edit")}>Edit</Button>
      <Menu
        label={`More for ${of.name}`}
        items={[
          { label: of.paused ? "Let it go on" : "Pause", onSelect: () => setOpen("pause") },
          { label: "Rotate the secret", onSelect: () => setOpen("rotate") },
          { label: "Remove", onSelect: () => setOpen("remove"), danger: true },
        ]}
      />
      {Opened && <Opened of={of} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function EditWebhook({ of, onClose }: DoingProps): ReactNode {
  const [original] = useState(of);
  const update = useChange("updateWebhook");
  const done = (): void => {
    onClose();
    toast("The webhook was changed.");
  };
  return (
    <WebhookForm
      title={`Edit the webhook “${of.name}”`}
      action="Save"
      begin={draftOf(original)}
      change={update}
      onSubmit={(body) => update.mutate({ path: { id: of.id }, body: changesTo(original, body) }, { onSuccess: done })}
      onClose={onClose}
    />
  );
}

function PauseWebhook({ of, onClose }: DoingProps): ReactNode {
  const update = useChange("updateWebhook");
  // As it was when this was opened: the words must not turn round while it closes.
  const [wasPaused] = useState(of.paused);
  const done = (): void => {
    onClose();
    toast(wasPaused ? "It goes on." : "It is paused.");
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={wasPaused ? `Let the webhook “${of.name}” go on?` : `Pause the webhook “${of.name}”?`}
      action={wasPaused ? "Go on" : "Pause"}
      weight="primary"
      change={update}
      onConfirm={() => update.mutate({ path: { id: of.id }, body: { paused: !wasPaused } }, { onSuccess: done })}
    >
      {wasPaused
        ? "What is pending is sent now. What came up while it was paused is not."
        : "Nothing is sent until somebody lets it go on. What is pending waits, and alerts that come up meanwhile are not sent later."}
    </Confirm>
  );
}

function RemoveWebhook({ of, onClose }: DoingProps): ReactNode {
  const remove = useChange("removeWebhook");
  const navigate = useNavigate();
  const done = (): void => {
    toast(`The webhook “${of.name}” was removed.`);
    void navigate({ to: "/alerts" });
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Remove the webhook “${of.name}”?`}
      action="Remove"
      change={remove}
      onConfirm={() => remove.mutate({ path: { id: of.id } }, { onSuccess: done })}
    >
      Nothing is sent to it any more. What is pending goes with it, and so does the log of its deliveries. It cannot be undone.
    </Confirm>
  );
}

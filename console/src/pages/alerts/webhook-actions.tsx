import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode, useEffect, useRef } from "react";
import type { Webhook, Delivery } from "../../../../platform-client/types.ts";
import { changesTo } from "../../platform/changes.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/overlays/confirm.tsx";
import { Menu } from "../../parts/overlays/menu.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";
import { draftOf } from "./webhook-draft.ts";
import { WebhookForm } from "./webhook-form.tsx";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { GracePeriodField, readGracePeriod } from "../../parts/inputs/grace-period-field.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";
import { withLabels } from "../../platform/readable-message.ts";
import { Dialog, DialogBody, DialogFooter } from "../../parts/overlays/dialog.tsx";
import { duration } from "../../parts/format/format.ts";
import { Loading } from "../../parts/states.tsx";

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

/** Generates a new signing secret; everything else stays. */
function RotateSecret({ of, onClose }: { readonly of: Webhook; readonly onClose: () => void }): ReactNode {
  const rotate = useApiMutation("rotateWebhookSecret");
  if (rotate.data) return <WebhookSecret of={rotate.data} onClose={onClose} />;
  return (
    <FormDialog
      title={`Rotate signing secret of “${of.name}”?`}
      action="Rotate"
      change={rotate}
      onSubmit={(form) => rotate.mutate({ path: { id: of.id }, body: readGracePeriod(form) })}
      onClose={onClose}
    >
      <GracePeriodField
        label="Grace period for the old secret"
        hint="Messages are signed with both secrets until it ends. Allow enough time to update the receiver."
      />
      {of.previous_secret_signs_until !== null && (
        <Notice tone="warn">The secret from before the last rotation still signs messages. Rotating again removes it immediately.</Notice>
      )}
    </FormDialog>
  );
}

/** Sends a test message and shows the response. */
function TestWebhook({ of, onClose }: { readonly of: Webhook; readonly onClose: () => void }): ReactNode {
  const test = useApiMutation("testWebhook");
  const send = (): void => test.mutate({ path: { id: of.id } });
  // Once, although StrictMode runs effects twice.
  const wasSent = useRef(false);
  useEffect(() => {
    if (wasSent.current) return;
    wasSent.current = true;
    send();
  });
  return (
    <Dialog open onClose={onClose} title={`Test “${of.name}”`} about="Sends one test message, even if the webhook is paused.">
      <DialogBody>
        {test.isPending && <Loading lines={2} />}
        {test.error && <Notice tone="bad">{test.error.message}</Notice>}
        {test.data && !test.isPending && <Outcome of={test.data} />}
      </DialogBody>
      <DialogFooter>
        <Button busy={test.isPending} onClick={send}>
          Test again
        </Button>
        <Button weight="primary" onClick={onClose}>
          Done
        </Button>
      </DialogFooter>
    </Dialog>
  );
}

function Outcome({ of: { state, attempts } }: { readonly of: Delivery }): ReactNode {
  const last = attempts.at(-1);
  const took = last ? ` after ${duration(last.duration_ms)}` : "";
  if (state === "delivered") {
    return (
      <Notice tone="good" title="Delivered">
        The receiver returned {last?.status}
        {took}.
      </Notice>
    );
  }
  return (
    <Notice tone="bad" title="Not delivered">
      {withLabels(last?.problem ?? "The message was not sent.")}
      {last && (last.status === null ? ` No response${took}.` : ` The receiver returned ${last.status}${took}.`)}
    </Notice>
  );
}

import { useEffect, useRef, type ReactNode } from "react";
import type { Delivery, Webhook } from "../../../../platform-client/types.ts";
import { withLabels } from "../../platform/readable-message.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogBody, DialogFooter } from "../../parts/overlays/dialog.tsx";
import { duration } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { Loading } from "../../parts/states.tsx";

/** Sends a test message and shows the response. */
export function TestWebhook({ of, onClose }: { readonly of: Webhook; readonly onClose: () => void }): ReactNode {
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

import { useEffect, useRef, type ReactNode } from "react";
import type { Delivery, Webhook } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogBody, DialogFooter } from "../../parts/dialog.tsx";
import { duration } from "../../parts/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { Loading } from "../../parts/states.tsx";

/** Sends a message at once and tells what came back. */
export function TestWebhook({ of, onClose }: { readonly of: Webhook; readonly onClose: () => void }): ReactNode {
  const test = useChange("testWebhook");
  const begin = (): void => test.mutate({ path: { id: of.id } });
  // Once, also where effects are run twice to try them.
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    begin();
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`A test of “${of.name}”`}
      about="A message of no meaning is sent once, also to one that is paused."
    >
      <DialogBody>
        {test.isPending && <Loading lines={2} />}
        {test.error && <Notice tone="bad">{test.error.message}</Notice>}
        {test.data && !test.isPending && <Outcome of={test.data} />}
      </DialogBody>
      <DialogFooter>
        <Button busy={test.isPending} onClick={begin}>
          Test again
        </Button>
        <Button weight="primary" onClick={onClose}>
          Done
        </Button>
      </DialogFooter>
    </Dialog>
  );
}

function Outcome({ of: { state, tries } }: { readonly of: Delivery }): ReactNode {
  const last = tries.at(-1);
  const took = last ? ` after ${duration(last.duration_ms)}` : "";
  if (state === "delivered") {
    return (
      <Notice tone="good" title="It arrived.">
        The receiver answered {last?.status}
        {took}.
      </Notice>
    );
  }
  return (
    <Notice tone="bad" title="It did not arrive.">
      {last?.problem ?? "It was not sent."}
      {last && (last.status === null ? ` There was no answer${took}.` : ` The receiver answered ${last.status}${took}.`)}
    </Notice>
  );
}

import { Dialog as Base } from "@base-ui/react/dialog";
import { useBlocker } from "@tanstack/react-router";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "../classes.ts";
import { Button, IconButton } from "../button.tsx";
import { useIsMutating, useQueryClient, type Mutation } from "@tanstack/react-query";
import type { OperationId } from "../../platform/call.ts";

interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly about?: ReactNode;
  readonly wide?: boolean;
  /** False while closing would lose data: then only the dialog's own buttons close it. */
  readonly canClose?: boolean;
  readonly children: ReactNode;
}

/**
 * A modal dialog. Escape and a click outside close it, and the focus returns to where it was. While a change is in flight, neither of them
 * closes it, nor does the browser's back button.
 */
export function Dialog({ open, onClose, title, about, wide = false, canClose = true, children }: DialogProps): ReactNode {
  const { isChanging, isChangingNow } = usePendingChanges();
  useBlocker({ shouldBlockFn: isChangingNow, enableBeforeUnload: isChangingNow, disabled: !open });
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && canClose && !isChangingNow() && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-shade transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup
          className={classes(
            "fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg bg-raised shadow-over outline-none",
            "transition data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0",
            wide ? "max-w-3xl" : "max-w-lg",
          )}
        >
          <header className="flex items-start gap-3 border-b border-line px-5 py-3.5">
            <div className="min-w-0 flex-1">
              <Base.Title className="text-lg font-semibold break-words">{title}</Base.Title>
              {about && <Base.Description className="mt-0.5 text-sm text-ink-2">{about}</Base.Description>}
            </div>
            {canClose && (
              <Base.Close render={<IconButton label="Close" disabled={isChanging} className="-my-1 -mr-2" />}>
                <X size={16} aria-hidden />
              </Base.Close>
            )}
          </header>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** The scrolling content of a dialog. */
export function DialogBody({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-5 py-4">{children}</div>;
}

/** The buttons of a dialog, the primary one last, on the right. */
export function DialogFooter({ children }: { readonly children: ReactNode }): ReactNode {
  return <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-5 py-3">{children}</footer>;
}

/** Closes a dialog without a change. Disabled while a change is in flight, because the change cannot be cancelled. */
export function Cancel({ onClick, children = "Cancel" }: { readonly onClick: () => void; readonly children?: ReactNode }): ReactNode {
  const { isChanging } = usePendingChanges();
  return (
    <Button disabled={isChanging} onClick={onClick}>
      {children}
    </Button>
  );
}

/** Tests and comparisons change nothing, so leaving the dialog is safe. */
const TESTS: readonly unknown[] = [
  "testUpstream",
  "testCredential",
  "testWebhook",
  "examineUpstream",
  "reconcileBill",
] satisfies OperationId[];

const filter = { predicate: ({ options }: Pick<Mutation, "options">) => isChange(options.mutationKey) };

function isChange(key: readonly unknown[] | undefined): boolean {
  return key !== undefined && !TESTS.includes(key[0]);
}

interface PendingChanges {
  readonly isChanging: boolean;
  /** The current state, which may not be rendered yet: for callbacks after a change. */
  readonly isChangingNow: () => boolean;
}

/** Whether a change is in flight. Closing a dialog then would lose its result, which may be a secret. */
function usePendingChanges(): PendingChanges {
  const client = useQueryClient();
  return { isChanging: useIsMutating(filter) > 0, isChangingNow: () => client.isMutating(filter) > 0 };
}

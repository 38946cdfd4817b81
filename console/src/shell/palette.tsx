import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import type { ReactNode } from "react";
import { useMe } from "./me.ts";
import { placesFor } from "./navigation.ts";

interface Goal {
  readonly label: string;
  readonly to: string;
}

/** Goes anywhere by typing. */
export function Palette({ onClose }: { readonly onClose: () => void }): ReactNode {
  const me = useMe();
  const navigate = useNavigate();
  const goals: Goal[] = placesFor(me.isOperator).flatMap(({ places }) => places.map(({ label, to }) => ({ label, to })));
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-shade" />
        <Dialog.Popup
          aria-label="Go to"
          className="fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg bg-raised shadow-over"
        >
          <Autocomplete.Root items={goals} open inline autoHighlight="always" itemToStringValue={(goal: Goal) => goal.label}>
            <div className="flex items-center gap-2.5 border-b border-line px-4">
              <Search size={16} className="text-ink-3" aria-hidden />
              <Autocomplete.Input
                aria-label="Go to"
                placeholder="Go to a page, a model, a key, a request …"
                className="h-12 w-full bg-transparent text-lg outline-none"
              />
            </div>
            <Autocomplete.Empty>
              <p className="p-4 text-ink-3">Nothing matches.</p>
            </Autocomplete.Empty>
            <Autocomplete.List className="max-h-96 overflow-y-auto p-1.5 empty:hidden">
              {(goal: Goal) => (
                <Autocomplete.Item
                  key={goal.to}
                  value={goal}
                  onClick={() => {
                    onClose();
                    void navigate({ to: goal.to });
                  }}
                  className="flex h-9 cursor-default items-center rounded-md px-3 outline-none data-highlighted:bg-hover"
                >
                  {goal.label}
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

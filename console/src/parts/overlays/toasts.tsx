import { CircleCheck } from "lucide-react";
import { useEffect, useSyncExternalStore, type ReactNode } from "react";

/** Confirms the last action for a few seconds. Errors are never shown here: they stay beside their form. */
let current: { readonly text: string; readonly id: number } | undefined;
const listeners = new Set<() => void>();

function set(next: typeof current): void {
  current = next;
  for (const notify of listeners) notify();
}

export function toast(text: string): void {
  set({ text, id: (current?.id ?? 0) + 1 });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts(): ReactNode {
  const shown = useSyncExternalStore(subscribe, () => current);
  useEffect(() => {
    if (!shown) return;
    const timer = setTimeout(() => set(undefined), 4000);
    return () => clearTimeout(timer);
  }, [shown]);
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-4 z-60 flex justify-center px-4">
      {shown && (
        <p className="flex items-center gap-2 rounded-md bg-raised px-3.5 py-2 shadow-over">
          <CircleCheck size={16} className="text-good" aria-hidden />
          {shown.text}
        </p>
      )}
    </div>
  );
}

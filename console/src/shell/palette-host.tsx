import { lazy, Suspense, useEffect, useState, type ReactNode } from "react";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));
const OPEN = "tollgate-open-palette";

export const shortcutName = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘K" : "Ctrl K";

export function openPalette(): void {
  dispatchEvent(new Event(OPEN));
}

/** Listens for the shortcut. The palette's code is loaded on first use. */
export function PaletteHost(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = (): void => setOpen(true);
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey) || event.shiftKey || event.altKey) return;
      event.preventDefault();
      setOpen((was) => !was);
    };
    addEventListener(OPEN, open);
    addEventListener("keydown", onKey);
    return () => {
      removeEventListener(OPEN, open);
      removeEventListener("keydown", onKey);
    };
  }, []);
  return isOpen && <Suspense>{<Palette onClose={() => setOpen(false)} />}</Suspense>;
}

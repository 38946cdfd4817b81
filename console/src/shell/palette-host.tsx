import { lazy, Suspense, useEffect, useState, type ReactNode } from "react";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));
const OPEN = "tollgate-open-palette";
const PALETTE_ID = "palette";

export const shortcutName = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘K" : "Ctrl K";

export function openPalette(): void {
  dispatchEvent(new Event(OPEN));
}

/** Listens for the shortcut. The palette's code is loaded on first use. */
export function PaletteHost(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState("");
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
  useEffect(() => {
    if (!isOpen) return;
    setText("");
    return collectKeys((key) => setText((typed) => typed + key));
  }, [isOpen]);
  return (
    isOpen && (
      <Suspense>
        <Palette id={PALETTE_ID} text={text} onText={setText} onClose={() => setOpen(false)} />
      </Suspense>
    )
  );
}

/** Passes on what is typed before the palette has the focus: while its code is loaded, the keys would go to the page. */
function collectKeys(onKey: (key: string) => void): () => void {
  const collect = (event: KeyboardEvent): void => {
    if (event.key.length !== 1 || event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest(`#${PALETTE_ID}`)) return;
    event.preventDefault();
    onKey(event.key);
  };
  addEventListener("keydown", collect, true);
  return () => removeEventListener("keydown", collect, true);
}

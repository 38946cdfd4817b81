import { useEffect, useRef } from "react";
import type { Walk } from "./use-list-navigation.ts";

/** Where keys mean something else: what is typed, and whatever has opened above the page. */
const ELSEWHERE = "input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog], [role=menu], [role=listbox]";

/** J and K go through the list, and so do the arrows where a row has the focus: elsewhere they scroll. Escape closes what is open. */
export function useListKeys(walk: Walk, isOpen: boolean): void {
  const latest = useRef({ walk, isOpen });
  latest.current = { walk, isOpen };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target as Element;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || target.closest(ELSEWHERE)) return;
      const act = actionOf(event.key, target.closest("[data-row]") !== null, latest.current);
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

function actionOf(key: string, isInRow: boolean, { walk, isOpen }: { walk: Walk; isOpen: boolean }): (() => void) | undefined {
  if (key === "j" || key === "J" || (isInRow && key === "ArrowDown")) return () => walk.move(1);
  if (key === "k" || key === "K" || (isInRow && key === "ArrowUp")) return () => walk.move(-1);
  return key === "Escape" && isOpen ? walk.close : undefined;
}

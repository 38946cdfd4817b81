import { useEffect, useRef } from "react";
import type { ListNavigation } from "./use-list-navigation.ts";

/** Elements that handle keys themselves: input fields and overlays. */
const OWN_KEYS = "input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog], [role=menu], [role=listbox]";

/** J and K move through the list; so do the arrow keys while a row has the focus (elsewhere they scroll). Escape closes the panel. */
export function useListKeys(navigation: ListNavigation, isOpen: boolean): void {
  const latest = useRef({ navigation, isOpen });
  latest.current = { navigation, isOpen };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target as Element;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || target.closest(OWN_KEYS)) return;
      const act = actionOf(event.key, target.closest("[data-row]") !== null, latest.current);
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

function actionOf(
  key: string,
  isInRow: boolean,
  { navigation, isOpen }: { navigation: ListNavigation; isOpen: boolean },
): (() => void) | undefined {
  if (key === "j" || key === "J" || (isInRow && key === "ArrowDown")) return () => navigation.move(1);
  if (key === "k" || key === "K" || (isInRow && key === "ArrowUp")) return () => navigation.move(-1);
  return key === "Escape" && isOpen ? navigation.close : undefined;
}

import { useSyncExternalStore } from "react";
import { chooseTheme, readTheme, type Theme } from "../theme.ts";

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The theme that was chosen. It can be chosen in several places, and all of them show it. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme);
}

export function setTheme(theme: Theme): void {
  chooseTheme(theme);
  for (const tell of listeners) tell();
}

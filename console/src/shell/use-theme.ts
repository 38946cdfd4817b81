import { useSyncExternalStore } from "react";
import { chooseTheme, readTheme, type Theme } from "../theme.ts";

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The selected theme. If one control changes it, all controls that show it update. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme);
}

export function setTheme(theme: Theme): void {
  chooseTheme(theme);
  for (const notify of listeners) notify();
}

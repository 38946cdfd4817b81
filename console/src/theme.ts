export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const NAME = "tollgate-theme";

/** What was chosen in this browser. Storage may be forbidden there: then the system's is as good as any. */
export function readTheme(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(NAME)) ?? "system";
  } catch {
    return "system";
  }
}

export function chooseTheme(theme: Theme): void {
  showTheme(theme);
  try {
    localStorage.setItem(NAME, theme);
  } catch {
    // It holds for this visit.
  }
}

/** The style sheet does the rest: every colour is a pair of which `color-scheme` picks one. */
export function showTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

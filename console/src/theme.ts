export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const NAME = "tollgate-theme";

/** The theme that is stored in this browser; the system's where the browser blocks storage. */
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
    // Storage is blocked: the choice lasts until the page is reloaded.
  }
}

/** Sets `data-theme`; the style sheet's `light-dark()` colours follow `color-scheme`. */
export function showTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const NAME = "tollgate-theme";

/** The theme stored in this browser; the system's theme if the browser blocks storage. */
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
    // The browser blocks storage: the choice is lost when the page is reloaded.
  }
}

/** Sets `data-theme`; the style sheet's `light-dark()` colours follow `color-scheme`. */
export function showTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

import type { ReactNode } from "react";
import { Section } from "../../parts/page.tsx";
import { setTheme, useTheme } from "../../shell/use-theme.ts";
import { THEMES, type Theme } from "../../theme.ts";

const DESCRIPTIONS: Record<Theme, string> = { system: "Follows your device", light: "Always light", dark: "Always dark" };

export function Appearance(): ReactNode {
  const theme = useTheme();
  return (
    <Section title="Theme" about="Saved in this browser.">
      <fieldset className="flex flex-col gap-2">
        <legend className="sr-only">Theme</legend>
        {THEMES.map((value) => (
          <label key={value} className="flex items-center gap-2.5">
            <input
              type="radio"
              name="theme"
              value={value}
              checked={theme === value}
              onChange={() => setTheme(value)}
              className="accent-accent-fill"
            />
            <span className="font-medium capitalize">{value}</span>
            <span className="text-ink-3">{DESCRIPTIONS[value]}</span>
          </label>
        ))}
      </fieldset>
    </Section>
  );
}

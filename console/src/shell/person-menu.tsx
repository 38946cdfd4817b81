import { LogOut } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../parts/button.tsx";
import { Select } from "../parts/inputs/field.tsx";
import { THEMES, type Theme } from "../theme.ts";
import { useMe } from "./me.ts";
import { useSignOut } from "./use-sign-out.ts";
import { setTheme, useTheme } from "./use-theme.ts";

const THEME_NAMES: Record<Theme, string> = { system: "System theme", light: "Light theme", dark: "Dark theme" };

/** The signed-in person, the theme and the sign-out button. */
export function PersonMenu(): ReactNode {
  const { person, role, account } = useMe();
  const theme = useTheme();
  return (
    <div className="flex flex-col gap-2 border-t border-line pt-3">
      <Select
        aria-label="Theme"
        value={theme}
        choices={THEMES.map((value) => ({ value, label: THEME_NAMES[value] }))}
        onChange={({ target }) => setTheme(target.value as Theme)}
      />
      <div className="flex items-center gap-1 pl-2">
        <div className="min-w-0 flex-1">
          <p className="truncate text-sm font-medium" title={person?.email}>
            {person?.name ?? "Operator token"}
          </p>
          <p className="truncate text-xs text-ink-3">{account === null ? role : `${role} of ${account}`}</p>
        </div>
        <SignOut />
      </div>
    </div>
  );
}

function SignOut(): ReactNode {
  const signOut = useSignOut();
  return (
    <IconButton label="Sign out" disabled={signOut.isPending} onClick={() => signOut.mutate()}>
      <LogOut size={16} aria-hidden />
    </IconButton>
  );
}

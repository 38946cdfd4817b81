import { LogOut, Monitor, Moon, Sun, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../parts/button.tsx";
import { THEMES, type Theme } from "../theme.ts";
import { useMe } from "./me.ts";
import { useSignOut } from "./use-sign-out.ts";
import { setTheme, useTheme } from "./use-theme.ts";

const THEME_LOOKS: Record<Theme, { readonly name: string; readonly Icon: LucideIcon }> = {
  system: { name: "System theme", Icon: Monitor },
  light: { name: "Light theme", Icon: Sun },
  dark: { name: "Dark theme", Icon: Moon },
};

/** The signed-in person, the theme and the sign-out button. */
export function PersonMenu(): ReactNode {
  const { person, role, account } = useMe();
  return (
    <div className="flex items-center gap-1 border-t border-line pt-3 pl-2 cramped:lg:pt-2">
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm font-medium" title={person?.email}>
          {person?.name ?? "Operator token"}
        </p>
        <p className="truncate text-xs text-ink-3">{account === null ? role : `${role} of ${account}`}</p>
      </div>
      <ThemeSelect />
      <SignOut />
    </div>
  );
}

/** An icon over which lies the select, invisible: it takes the clicks and the keys. */
function ThemeSelect(): ReactNode {
  const theme = useTheme();
  const { name, Icon } = THEME_LOOKS[theme];
  return (
    <div
      title={name}
      className="relative flex size-8 shrink-0 items-center justify-center rounded-md text-ink-2 outline-accent hover:bg-hover hover:text-ink has-focus-visible:outline-2"
    >
      <Icon size={16} aria-hidden />
      <select
        aria-label="Theme"
        value={theme}
        onChange={({ target }) => setTheme(target.value as Theme)}
        className="absolute inset-0 appearance-none bg-raised text-ink opacity-0"
      >
        {THEMES.map((value) => (
          <option key={value} value={value}>
            {THEME_LOOKS[value].name}
          </option>
        ))}
      </select>
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

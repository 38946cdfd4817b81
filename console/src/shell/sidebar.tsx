import { Link } from "@tanstack/react-router";
import { Search, LogOut, Monitor, Moon, Sun, type LucideIcon } from "lucide-react";
import { type ReactNode, lazy, Suspense, useEffect, useState } from "react";
import { Brand } from "./brand.tsx";
import { useMe } from "./me.ts";
import { navigationFor } from "./navigation.ts";
import { useApiQuery } from "../platform/use-api.ts";
import { IconButton } from "../parts/button.tsx";
import { THEMES, type Theme } from "../theme.ts";
import { useSignOut } from "./use-sign-out.ts";
import { setTheme, useTheme } from "./use-theme.ts";

export function Sidebar(): ReactNode {
  const me = useMe();
  return (
    <div className="flex min-h-full flex-col gap-4 p-3 lg:h-full short:lg:gap-3 cramped:lg:gap-1.5 cramped:lg:py-2">
      <div className="px-2 pt-1 max-lg:hidden cramped:pt-0">
        <Brand />
      </div>
      <button
        type="button"
        onClick={openPalette}
        className="flex h-8 shrink-0 items-center gap-2 rounded-md border border-line bg-sunken px-2.5 text-sm text-ink-3 cramped:lg:h-7 hover:border-line-strong/60 hover:text-ink-2"
      >
        <Search size={14} aria-hidden />
        Search or go to …<kbd className="ml-auto font-sans text-xs max-lg:hidden">{shortcutName}</kbd>
      </button>
      <nav aria-label="Pages" className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto short:lg:gap-2 cramped:lg:gap-0.5">
        {navigationFor(me.isOperator).map(({ title, items }) => (
          <div key={title}>
            <p className="mb-1 px-2 text-xs font-medium text-ink-3 short:lg:mb-0">{title}</p>
            <ul className="flex flex-col gap-px">
              {items.map(({ to, label, Icon }) => (
                <li key={to}>
                  <Link
                    to={to}
                    activeOptions={{ exact: to === "/", includeSearch: false }}
                    className="flex h-8 items-center gap-2.5 rounded-md px-2 text-ink-2 short:lg:h-7 cramped:lg:h-6 cramped:lg:text-sm hover:bg-hover hover:text-ink aria-[current=page]:bg-selected aria-[current=page]:font-medium aria-[current=page]:text-ink"
                  >
                    <Icon size={16} className="shrink-0" aria-hidden />
                    {label}
                    {to === "/alerts" && <OpenAlerts />}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <PersonMenu />
      <PaletteHost />
    </div>
  );
}

const EVERY_MS = 30_000;

/** The number of open alerts, beside the link to them. */
function OpenAlerts(): ReactNode {
  const alerts = useApiQuery("listAlerts", { query: { state: "open", limit: 1 } }, { every: EVERY_MS });
  const open = alerts.data?.open ?? 0;
  if (open === 0) return null;
  return (
    <span className="figures ml-auto rounded-sm bg-bad-fill px-1.5 text-xs font-medium text-bad">
      {open > 99 ? "99+" : open}
      <span className="sr-only"> open</span>
    </span>
  );
}

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));
const OPEN = "tollgate-open-palette";
const PALETTE_ID = "palette";

const shortcutName = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘K" : "Ctrl K";

function openPalette(): void {
  dispatchEvent(new Event(OPEN));
}

/** Listens for the shortcut. The palette's code is loaded on first use. */
function PaletteHost(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState("");
  useEffect(() => {
    const open = (): void => setOpen(true);
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey) || event.shiftKey || event.altKey) return;
      event.preventDefault();
      setOpen((was) => !was);
    };
    addEventListener(OPEN, open);
    addEventListener("keydown", onKey);
    return () => {
      removeEventListener(OPEN, open);
      removeEventListener("keydown", onKey);
    };
  }, []);
  useEffect(() => {
    if (!isOpen) return;
    setText("");
    return collectKeys((key) => setText((typed) => typed + key));
  }, [isOpen]);
  return (
    isOpen && (
      <Suspense>
        <Palette id={PALETTE_ID} text={text} onText={setText} onClose={() => setOpen(false)} />
      </Suspense>
    )
  );
}

/** Passes on keys that are pressed before the palette has the focus: while its code is loading, they would go to the page. */
function collectKeys(onKey: (key: string) => void): () => void {
  const collect = (event: KeyboardEvent): void => {
    if (event.key.length !== 1 || event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest(`#${PALETTE_ID}`)) return;
    event.preventDefault();
    onKey(event.key);
  };
  addEventListener("keydown", collect, true);
  return () => removeEventListener("keydown", collect, true);
}

const THEME_LOOKS: Record<Theme, { readonly name: string; readonly Icon: LucideIcon }> = {
  system: { name: "System theme", Icon: Monitor },
  light: { name: "Light theme", Icon: Sun },
  dark: { name: "Dark theme", Icon: Moon },
};

/** The signed-in person, the theme and the sign-out button. */
function PersonMenu(): ReactNode {
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

/** An icon with the select invisibly on top, which receives the clicks and the keys. */
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

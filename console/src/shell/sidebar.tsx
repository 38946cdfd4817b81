import { Link } from "@tanstack/react-router";
import { Search } from "lucide-react";
import type { ReactNode } from "react";
import { Brand } from "./brand.tsx";
import { useMe } from "./me.ts";
import { navigationFor } from "./navigation.ts";
import { OpenAlerts } from "./open-alerts.tsx";
import { openPalette, PaletteHost, shortcutName } from "./palette-host.tsx";
import { PersonMenu } from "./person-menu.tsx";

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

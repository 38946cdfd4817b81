import { Menu as MenuIcon, X } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { useLocation } from "@tanstack/react-router";
import { IconButton } from "../parts/button.tsx";
import { classes } from "../parts/classes.ts";
import { Brand } from "./brand.tsx";
import { Sidebar } from "./sidebar.tsx";

/** The layout of every signed-in page: navigation on the left, or behind a menu button on narrow screens. */
export function Layout({ children }: { readonly children: ReactNode }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  useEffect(() => setOpen(false), [pathname]);
  const toggle = useRef<HTMLButtonElement>(null);
  const closeByKey = ({ key, target, currentTarget }: KeyboardEvent<HTMLElement>): void => {
    // Popups opened from here, such as the palette, handle Escape themselves.
    if (!isOpen || key !== "Escape" || !currentTarget.contains(target as Node)) return;
    setOpen(false);
    toggle.current?.focus();
  };
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[14rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-raised px-3 py-1.5 shadow-over focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <header
        onKeyDown={closeByKey}
        className="sticky top-0 z-30 flex h-12 items-center justify-between border-b border-line bg-surface px-4 lg:hidden"
      >
        <Brand />
        <IconButton
          ref={toggle}
          label={isOpen ? "Close navigation" : "Open navigation"}
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? <X size={18} aria-hidden /> : <MenuIcon size={18} aria-hidden />}
        </IconButton>
      </header>
      <aside
        id="navigation"
        aria-label="Navigation"
        onKeyDown={closeByKey}
        className={classes(
          "border-line bg-surface lg:sticky lg:top-0 lg:block lg:h-dvh lg:border-r",
          isOpen ? "fixed inset-x-0 top-12 bottom-0 z-30 overflow-y-auto" : "hidden",
        )}
      >
        <Sidebar />
      </aside>
      <main id="content" tabIndex={-1} className="min-w-0 outline-none">
        {children}
      </main>
    </div>
  );
}

import { useSyncExternalStore } from "react";
import { BREAKPOINTS, type Breakpoint } from "./data-column.ts";

/** Tailwind's default breakpoints, in rem. */
const REMS: Record<Breakpoint, number> = { sm: 40, md: 48, lg: 64, xl: 80, "2xl": 96 };

const queries = BREAKPOINTS.map((name) => matchMedia(`(width >= ${REMS[name]}rem)`));

function subscribe(notify: () => void): () => void {
  for (const query of queries) query.addEventListener("change", notify);
  return () => {
    for (const query of queries) query.removeEventListener("change", notify);
  };
}

/** The number of breakpoints that the window has reached: 0 on a phone, 5 on a wide screen. */
export function useBreakpoint(): number {
  return useSyncExternalStore(subscribe, () => queries.filter(({ matches }) => matches).length);
}

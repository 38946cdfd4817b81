import { createContext, use } from "react";
import type { Me } from "../platform/interface.ts";

export const MeContext = createContext<Me | null>(null);

/** Who is looking. */
export function useMe(): Me & { readonly isOperator: boolean } {
  const me = use(MeContext);
  if (!me) throw new Error("useMe belongs on a page that one has to be signed in for.");
  return { ...me, isOperator: me.role === "operator" };
}

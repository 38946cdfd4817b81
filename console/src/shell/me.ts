import { createContext, use } from "react";
import type { Me } from "../../../platform-client/types.ts";

export const MeContext = createContext<Me | null>(null);

/** The signed-in person, with role and account. */
export function useMe(): Me & { readonly isOperator: boolean } {
  const me = use(MeContext);
  if (!me) throw new Error("useMe must be used on a page that requires sign-in.");
  return { ...me, isOperator: me.role === "operator" };
}

import { useEffect, type ReactNode } from "react";
import { Brand } from "./brand.tsx";

/** A page for signed-out visitors: a card without navigation. */
export function SignedOutPage({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  useEffect(() => {
    document.title = `${title} · Tollgate`;
  }, [title]);
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-6 px-4 py-10">
      <Brand />
      <div className="card w-full max-w-sm p-6">
        <h1 className="mb-4 text-lg font-semibold">{title}</h1>
        {children}
      </div>
    </main>
  );
}

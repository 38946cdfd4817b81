import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { base } from "../platform/base.ts";
import type { Person } from "../platform/interface.ts";
import { useChange, useLook } from "../platform/use-platform.ts";
import { Button, buttonClass } from "../parts/button.tsx";
import { TextField } from "../parts/field.tsx";
import { formFields } from "../parts/form.ts";
import { Notice } from "../parts/notice.tsx";
import { SignedOutPage } from "./signed-out-page.tsx";

/** What the way back from the OpenID provider puts behind the # of the address when something went wrong there. */
const PROVIDER_TROUBLE: Record<string, string> = {
  sign_in_failed: "Signing in did not work. Perhaps nobody has invited you yet.",
  no_upstream_available: "The sign-in provider cannot be reached. Try again later.",
  upstream_error: "The sign-in provider is not set up as Tollgate is. Tell an operator.",
};

/** Asks who it is. */
export function SignIn({ last }: { readonly last?: string | undefined }): ReactNode {
  const client = useQueryClient();
  // What was fetched for somebody else must not be found.
  const enter = ({ id }: Person): void => {
    if (id !== last) void client.resetQueries();
  };
  const { data: methods } = useLook("listSignInMethods", {});
  const signIn = useChange("signIn");
  const trouble = signIn.error?.message ?? PROVIDER_TROUBLE[location.hash.slice(1)];
  return (
    <SignedOutPage title="Sign in">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate({ body: formFields(event.currentTarget, "email", "password") }, { onSuccess: enter });
        }}
      >
        <TextField label="Email" name="email" type="email" autoComplete="username" required autoFocus />
        <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
        {trouble && <Notice tone="bad">{trouble}</Notice>}
        <Button type="submit" weight="primary" busy={signIn.isPending}>
          Sign in
        </Button>
        {methods?.oidc && (
          <a className={buttonClass()} href={`${base}/api/sign-in/oidc`}>
            Sign in with OpenID
          </a>
        )}
        <p className="text-sm text-ink-3">A forgotten password? An operator can make you a new link.</p>
      </form>
    </SignedOutPage>
  );
}

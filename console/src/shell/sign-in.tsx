import type { ReactNode } from "react";
import { base } from "../platform/base.ts";
import { useApiMutation, useApiQuery } from "../platform/use-api.ts";
import { Button, buttonClass } from "../parts/button.tsx";
import { TextField } from "../parts/inputs/field.tsx";
import { formFields } from "../parts/inputs/form.ts";
import { Notice } from "../parts/notice.tsx";
import { textLink } from "../parts/text-link.ts";
import { SignedOutPage } from "./signed-out-page.tsx";

/** Messages for the error codes that the OpenID Connect callback puts into the URL fragment. */
const PROVIDER_ERRORS: Record<string, string> = {
  sign_in_failed: "Sign-in failed. You may not have been invited yet.",
  no_upstream_available: "The sign-in provider cannot be reached. Try again later.",
  upstream_error: "The sign-in provider's configuration does not match Tollgate's. Contact an operator.",
};

interface SignInProps {
  /** The session has expired. Its page is kept behind the form. */
  readonly isExpired?: boolean;
}

/** The sign-in form. */
export function SignIn({ isExpired = false }: SignInProps): ReactNode {
  const { data: methods } = useApiQuery("listSignInMethods", {});
  const signIn = useApiMutation("signIn");
  const problem = signIn.error?.message ?? PROVIDER_ERRORS[location.hash.slice(1)];
  return (
    <SignedOutPage title="Sign in">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate({ body: formFields(event.currentTarget, "email", "password") });
        }}
      >
        {isExpired && <Notice>Your session has expired. Sign in again to continue on the same page: what you have entered is kept.</Notice>}
        <TextField label="Email" name="email" type="email" autoComplete="username" required autoFocus />
        <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
        {problem && <Notice tone="bad">{problem}</Notice>}
        <Button type="submit" weight="primary" busy={signIn.isPending}>
          Sign in
        </Button>
        {methods?.oidc && (
          <a className={buttonClass()} href={`${base}/api/sign-in/oidc`}>
            Sign in with SSO
          </a>
        )}
        <p className="text-sm text-ink-3">Forgot your password? Ask an operator for a new link.</p>
        <p className="text-sm text-ink-3">
          With an API key you need no account:{" "}
          <a className={textLink} href={`${base}/key`}>
            see its usage
          </a>
          .
        </p>
      </form>
    </SignedOutPage>
  );
}

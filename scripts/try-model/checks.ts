import { COMPLETIONS } from "./checks/completions.ts";
import { DISCOVERY } from "./checks/discovery.ts";
import { DOCTOR } from "./checks/doctor.ts";
import { KILLED_STREAM } from "./checks/killed-stream.ts";
import { LIMITS } from "./checks/limits.ts";
import { REJECTIONS } from "./checks/rejections.ts";
import { SEVERAL_CHOICES } from "./checks/several-choices.ts";
import { TRANSPARENCY } from "./checks/transparency.ts";
import type { Check } from "./trial.ts";

/** The order matters: a rejection that counts as a failure would eject the route of the following checks. */
export const CHECKS: readonly Check[] = [
  ...COMPLETIONS,
  ...SEVERAL_CHOICES,
  ...LIMITS,
  ...TRANSPARENCY,
  DOCTOR,
  ...REJECTIONS,
  ...KILLED_STREAM,
  DISCOVERY,
];

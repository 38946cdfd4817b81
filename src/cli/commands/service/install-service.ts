import { lstatSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { CommandFailed, UsageError, type Command } from "../../command.ts";
import { asJson, printable, writeStdout } from "../../output.ts";
import { CONFIG_FILE, DATA_FOLDER, SERVICE, SETTINGS_FILE, serviceUnit } from "./service-unit.ts";

const UNIT_FILE = `/etc/systemd/system/${SERVICE}.service`;

/** Folders that the service does not see, because of ProtectHome and PrivateTmp. */
const HIDDEN = /^\/(home|root|run\/user|tmp|var\/tmp)\//;

/** The names that systemd accepts without a warning. */
const USER_NAME = /^[a-z_][a-z0-9_-]{0,30}$/;

export const installService: Command = {
  summary: "Install Tollgate as a systemd service.",
  details: `It writes ${UNIT_FILE}, and prints what to do next; nothing is started. Run it as root. The service has a user of its own, its data in ${DATA_FOLDER},
and reads ${SETTINGS_FILE} (TOLLGATE_ variables and provider credentials) and ${CONFIG_FILE}.`,
  examples: ["service install --print", "service install", "service install --user tollgate --force"],
  operands: [],
  options: {
    print: { meaning: "print the unit, and write nothing" },
    user: { meaning: "the user that the service runs as (default: one that systemd allocates)", value: "NAME" },
    force: { meaning: "overwrite a unit that differs" },
  },
  async run({ json, options }) {
    const { user } = options;
    if (user !== undefined && !USER_NAME.test(user)) throw new UsageError("--user must be a name of lowercase letters, digits, _ and -");
    const program = launcherPath();
    const unit = serviceUnit({ program, user });
    if (options["print"] !== undefined) return writeStdout(json ? asJson({ path: UNIT_FILE, unit }) : printable(unit));
    refuseHidden(program);
    const wasThere = writeUnit(UNIT_FILE, unit, options["force"] !== undefined);
    await writeStdout(json ? asJson({ path: UNIT_FILE, unit }) : printable(nextSteps(program, user, wasThere)));
  },
};

/** `bin/tollgate`, or this program if it is a single executable. */
function launcherPath(): string {
  return Bun.isStandaloneExecutable ? process.execPath : resolve(dirname(Bun.main), "../../bin/tollgate");
}

function refuseHidden(program: string): void {
  if (!HIDDEN.test(program)) return;
  throw new CommandFailed(`${program} is in a folder that the service does not see. Install Tollgate in /opt or /usr/local first.`);
}

/**
 * Writes the unit. Returns whether the file existed. Throws `CommandFailed` if a different unit is there, or if the file cannot be written.
 */
export function writeUnit(path: string, unit: string, isForced: boolean): boolean {
  const folder = dirname(path);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandFailed(`there is no ${folder}: this machine has no systemd. --print shows the unit.`);
  }
  refuseLink(path);
  const found = readUnit(path);
  if (found !== undefined && found !== unit && !isForced) {
    throw new CommandFailed(
      `${path} exists and differs. Compare it with --print, and put changes of your own into a drop-in (systemctl edit ${SERVICE}); --force overwrites it.`,
    );
  }
  try {
    replaceFile(path, unit);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new CommandFailed(`${path} cannot be written${code === "EACCES" ? ": run this command as root" : ` (${String(code)})`}.`);
  }
  return found !== undefined;
}

/** A masked unit is a link to /dev/null. Any other link points to a file that somebody else maintains. */
function refuseLink(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  const target = readlinkSync(path);
  const remedy = target === "/dev/null" ? `The unit is masked: run systemctl unmask ${SERVICE} first.` : "Remove the link first.";
  throw new CommandFailed(`${path} is a symbolic link to ${target}, and is not overwritten. ${remedy}`);
}

/**
 * Readers find the old unit or the new one, even after a crash. The temporary name is not a valid unit name, and an existing file or link
 * of that name is not followed.
 */
function replaceFile(path: string, text: string): void {
  const unnamed = `${path}.new`;
  rmSync(unnamed, { force: true });
  writeFileSync(unnamed, text, { flag: "wx", mode: 0o644, flush: true });
  renameSync(unnamed, path);
}

function readUnit(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CommandFailed(`${path} cannot be read (${String((error as NodeJS.ErrnoException).code)}).`);
  }
}

function nextSteps(program: string, user: string | undefined, wasThere: boolean): string {
  const start = wasThere ? `systemctl restart ${SERVICE}` : `systemctl enable --now ${SERVICE}`;
  const userStep = user === undefined ? "" : `  id ${user} || useradd --system --no-create-home --shell /usr/sbin/nologin ${user}\n`;
  return `Wrote ${UNIT_FILE}.

Put TOLLGATE_ variables and provider credentials into ${SETTINGS_FILE} (chmod 600), and models into ${CONFIG_FILE}. Then:

${userStep}  systemctl daemon-reload
  ${start}
  journalctl --unit ${SERVICE}        # the first key and the sign-in link
  TOLLGATE_DATA=${DATA_FOLDER} ${program} keys list
`;
}

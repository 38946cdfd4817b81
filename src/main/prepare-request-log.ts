import { ConfigError } from "../config/config-error.ts";
import { SETTINGS, type Config } from "../config.ts";
import { redactSecrets } from "../http/redact-secrets.ts";
import type { Log } from "../lib/log/log.ts";
import type { StoreOptions } from "../stores/stores.ts";
import { RedactionHook } from "../stores/request-log/bodies/redaction-hook.ts";
import { messageOf } from "../lib/text/message-of.ts";

/** The options of the request log: loads the operator's redaction hook, and logs failures. */
export async function prepareRequestLog(
  config: Pick<Config, "requestLog" | "redactFile">,
  log: Log,
): Promise<{ options: StoreOptions["requestLog"]; close(): void }> {
  const hook = await loadHook(config.redactFile);
  const options: StoreOptions["requestLog"] = {
    ...config.requestLog,
    redactSecrets,
    redact: hook && ((bodies) => hook.redact(bodies)),
    reportHook(trouble) {
      if (trouble === undefined) log.write({ event: "redaction_recovered", message: "prompts and responses are logged again" });
      else
        log.write({
          level: "warn",
          event: "redaction_failed",
          message: `prompts and responses are not logged, because the redaction hook failed: ${trouble}`,
        });
    },
    report(trouble) {
      if (trouble === undefined) log.write({ event: "request_log_recovered", message: "the request log can be written again" });
      else log.write({ level: "warn", event: "request_log_unavailable", message: `the request log cannot be written: ${trouble}` });
    },
    reportDamaged(path) {
      log.write({
        level: "warn",
        event: "request_log_damaged",
        message: `a file that is damaged, or dated in the future, was moved to ${path}`,
      });
    },
  };
  return { options, close: () => hook?.close() };
}

/** A broken redaction hook must fail at startup. Otherwise unredacted data would be logged silently later. */
async function loadHook(path: string | undefined): Promise<RedactionHook | undefined> {
  try {
    return path === undefined ? undefined : await RedactionHook.load(path);
  } catch (error) {
    const why = messageOf(error);
    throw new ConfigError(`${SETTINGS.redact} names ${path}, which cannot be used: ${why}`);
  }
}

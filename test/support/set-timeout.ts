/**
 * Runs before each test file (bunfig.toml): sets the time limit of tests and hooks. Bun's default is 5 s, which a start of the gateway or a
 * build can exceed on a busy machine. Bun resets the limit for the second file of a process, unless it runs with `--parallel` or
 * `--isolate`.
 */
import { setDefaultTimeout } from "bun:test";
import { isLong } from "./long.ts";
import { TEST_LIMIT_MS } from "./wait-limit.ts";

setDefaultTimeout(isLong ? 12 * TEST_LIMIT_MS : TEST_LIMIT_MS);

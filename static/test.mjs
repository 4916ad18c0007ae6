// Runs every static/src/**/*.test.ts: bundled by esbuild into a scratch folder, then by Node's own runner.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const source = join(dirname(fileURLToPath(import.meta.url)), "src");
const tests = readdirSync(source, { recursive: true }).filter((name) => name.endsWith(".test.ts"));
if (!tests.length) throw new Error(`No tests below ${source}`);

const scratch = mkdtempSync(join(tmpdir(), "scholium-ts-"));
try {
  await build({
    entryPoints: tests.map((name) => join(source, name)),
    outdir: scratch,
    outbase: source,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    sourcemap: "inline",
    logLevel: "warning",
  });
  const built = readdirSync(scratch, { recursive: true }).filter((name) => name.endsWith(".test.mjs"));
  const run = spawnSync(process.execPath, ["--test", ...built.map((name) => join(scratch, name))], {
    stdio: "inherit",
    env: { ...process.env, NODE_OPTIONS: "--enable-source-maps" },
  });
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

// Builds static/dist from scratch: every file directly in static/src is an entry (modules live in folders below it),
// app.css with the fonts it names, and the pictures. A font, import or picture that is missing fails the build.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const outdir = join(here, "dist");
const files = (folder, ending) =>
  readdirSync(join(here, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => join(here, folder, name));

const scripts = files("src", ".ts").filter((name) => !name.endsWith(".test.ts"));
const shared = { bundle: true, minify: true, sourcemap: true, outdir, logLevel: "warning", target: "es2022" };

// KaTeX names each font three times; every browser we support takes the first.
const woff2Only = {
  name: "woff2-only",
  setup({ onLoad }) {
    onLoad({ filter: /katex\.css$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(
        /,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\(["'](?:woff|truetype)["']\)/g,
        "",
      ),
      loader: "css",
    }));
  },
};

rmSync(outdir, { recursive: true, force: true });
const results = await Promise.all([
  build({
    ...shared,
    entryPoints: scripts,
    format: "esm",
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    metafile: true,
  }),
  build({
    ...shared,
    // CSS nesting, light-dark() and layers are kept as written: the browsers we support read them.
    target: "esnext",
    entryPoints: [join(here, "css/app.css"), ...files("img", ".svg")],
    entryNames: "[name]",
    assetNames: "fonts/[name]",
    loader: { ".woff2": "file", ".svg": "copy" },
    plugins: [woff2Only],
    metafile: true,
  }),
]);

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
for (const [path, { bytes }] of results.flatMap((result) => Object.entries(result.metafile.outputs))) {
  if (!path.endsWith(".map") && !path.endsWith(".woff2")) console.log(`${path}  ${kilobytes(bytes)}`);
}

// No module imports itself directly or indirectly; type imports count too.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { test } from "node:test";

const source = join(process.cwd(), "static/src");
const modules = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));

function importsOf(name: string): string[] {
  const text = readFileSync(join(source, name), "utf8");
  const found = text.matchAll(/^(?:import|export)\b[^;]*?\bfrom\s+"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm);
  return [...found].map(([, whole, later]) => {
    const path = normalize(join(dirname(name), (whole ?? later)!)).replace(/\.js$/, ".ts");
    return path.endsWith(".ts") ? path : `${path}.ts`;
  });
}

function circleFrom(name: string, graph: Map<string, string[]>, path: string[], done: Set<string>): string[] {
  if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
  if (done.has(name)) return [];
  for (const next of graph.get(name) ?? []) {
    const circle = circleFrom(next, graph, [...path, name], done);
    if (circle.length) return circle;
  }
  done.add(name);
  return [];
}

test("there is no circular import", () => {
  const graph = new Map(modules.map((name) => [relative(".", name), importsOf(name)]));
  assert.ok([...graph.values()].flat().length > 100);
  const done = new Set<string>();
  for (const name of graph.keys()) assert.deepEqual(circleFrom(name, graph, [], done), []);
});
